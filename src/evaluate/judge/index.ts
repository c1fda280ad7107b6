export {
  agreementOf,
  judgeAgreement,
  judgeDisagreements,
  judgeItemOf,
  withVerdict,
  type JudgeAgreement,
} from './agreement.ts';
export { createJudge, type Judge, type Judgement, type JudgeOptions } from './judge.ts';
export { judgeMessages, type JudgedAnswer } from './prompt.ts';
export {
  judgeAnswers,
  type JudgeItem,
  type JudgeOutcome,
  type JudgeProgress,
  type JudgeRun,
  type JudgeRunOptions,
} from './run.ts';
export { readVerdict, type Verdict } from './verdict.ts';
