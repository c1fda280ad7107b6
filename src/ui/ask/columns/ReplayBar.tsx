import { Icon } from '../../kit/Icon.tsx';
import { replayAgain, skipReplay } from '../store/actions.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';

/** Ends the replay, or starts it again. */
export const ReplayBar = () => {
  const replay = useAsk((state) => state.replay);
  const running = useAsk((state) => isRunning(state.run));
  const some = useAsk((state) => state.table.order.length > 0);
  if (replay !== null)
    return (
      <button type="button" className="link" onClick={skipReplay}>
        <Icon name="last" size={12} /> Show the result (space)
      </button>
    );
  return some && !running ? (
    <button type="button" className="link" onClick={replayAgain}>
      <Icon name="play" size={12} /> Replay
    </button>
  ) : null;
};
