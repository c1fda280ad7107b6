import { Kbd, Modal, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useTrain, visibleRuns } from '../train/store/train-store.ts';
import { closeDialog, useSession } from '../kit/session-store.ts';
import { isAvailable, keyName, type Command } from './commands.ts';
import { Guarded } from '../kit/page/Guarded.tsx';
import { pagePath } from '../kit/page/page-root.ts';
import { reloadFiles } from '../rollouts/store/browse-actions.ts';
import { useRollouts } from '../rollouts/store/rollouts-store.ts';
import { useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { useNeeds } from '../lab/use-needs.ts';
import { textThings, thingsOf } from './things.ts';
import { onDemand } from '../kit/page/on-demand.tsx';

const GlossaryList = onDemand(async () => ({
  default: (await import('../kit/words/explain/Explanation.tsx')).GlossaryList,
}));

/** Whether every word of the text occurs in its group or name. */
const matches = (command: Command, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${command.group} ${command.name}`.toLowerCase().includes(word));

/** Keys as labelled on a keyboard. */
const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className="keys">
    {keys.map((key) => (
      <Kbd key={key} size="xs">
        {keyName(key)}
      </Kbd>
    ))}
  </span>
);

/** A modal dialog; mounted only while it is open. */
const Dialog = (props: {
  name: string;
  /** Width, if it holds more than a list. */
  size?: string;
  onClose: () => void;
  children: ReactNode;
}) => (
  <Modal.Root
    opened
    onClose={props.onClose}
    size={props.size ?? 'md'}
    transitionProps={{ duration: 0 }}
  >
    <Modal.Overlay />
    <Modal.Content aria-label={props.name} className="dialog">
      {/* Focusable, because a long list is scrolled by keyboard. */}
      <Modal.Body p="xs" className="dialog-body" tabIndex={0}>
        {props.children}
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
);

/** ⌘K: commands, and after typing also runs, files, questions, recipes, systems and passages. */
export const CommandPalette = ({ commands }: { commands: readonly Command[] }) => {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const runs = useTrain((state) => state.runs);
  const files = useRollouts((state) => state.files);
  const evaluations = useEvaluate((state) => state.evaluations);
  const customs = useEvaluate((state) => state.customs);
  const evaluates = useEvaluate((state) => state.status === 'ready');
  const questions = useSession((state) => state.questions);
  const things = useMemo(
    () => thingsOf({ runs, files, evaluations, customs }, go),
    [runs, files, evaluations, customs, go],
  );
  // Not loaded before the first page that shows files.
  useEffect(() => {
    if (useRollouts.getState().status === 'waiting') void reloadFiles();
  }, []);
  // Questions are loaded by the first page that needs them.
  useNeeds('sources');
  // So are custom systems.
  useEffect(() => {
    if (evaluates)
      void import('../evaluate/store/custom-actions.ts').then(({ readCustoms }) => readCustoms());
  }, [evaluates]);
  const doable = useMemo(
    () => commands.filter((command) => isAvailable(command, pagePath())),
    [commands],
  );
  const found = useMemo(() => {
    // Only after typing, because there are many.
    const candidates = text.trim() === '' ? doable : [...doable, ...things];
    const named = candidates.filter((command) => matches(command, text));
    const rollouts =
      files.length > 0 ||
      visibleRuns(runs).some(({ step }) => step > 0) ||
      evaluations.some(({ deletedAt, done }) => deletedAt === null && done > 0);
    return [...named, ...textThings(text, { questions, rollouts }, go)];
  }, [text, doable, things, questions, files, runs, evaluations, go]);
  const close = () => {
    closeDialog();
    setText('');
    setAt(0);
  };
  // Closed first: a command may open the other dialog or move the focus.
  const act = (command: Command | undefined) => {
    close();
    command?.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') act(found[at]);
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || found.length === 0) return;
    event.preventDefault();
    // Wraps around.
    setAt((at + by + found.length) % found.length);
  };
  return (
    <Dialog name="Commands" onClose={close}>
      <TextInput
        // At once; the dialog would set the focus later.
        autoFocus
        data-autofocus
        aria-label="Command"
        placeholder="A command, run, question, file, recipe, system, passage …"
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-activedescendant={found[at] ? `command-${at}` : undefined}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
      />
      <div id="commands" role="listbox" aria-label="Commands" className="commands">
        {found.map((command, index) => (
          <div
            key={`${command.name} ${index}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === at}
            className={index === at ? 'command chosen' : 'command'}
            onClick={() => act(command)}
          >
            <span className="fine">{command.group}</span>
            <span className="grow">{command.name}</span>
            <Keys keys={command.keys} />
          </div>
        ))}
        {found.length === 0 ? <p className="fine">No command matches.</p> : null}
      </div>
    </Dialog>
  );
};

/** Groups with shortcuts, in list order. */
const GROUPS = ['Run', 'Train', 'Playback', 'Rollouts', 'View', 'Go to'] as const;

/** `?`: all shortcuts and terms. */
export const KeyList = ({ commands }: { commands: readonly Command[] }) => (
  <Dialog name="Keys and words" size="min(1400px, 92vw)" onClose={closeDialog}>
    <div className="keys-and-words">
      <section>
        <h2>Keys</h2>
        {GROUPS.map((group) => {
          const keyed = commands.filter(
            (command) => command.group === group && command.keys.length > 0,
          );
          return keyed.length === 0 ? null : (
            <section key={group} className="key-group">
              <h3>{group}</h3>
              {keyed.map((command) => (
                <div key={command.name} className="key-row">
                  <span className="grow">{command.name}</span>
                  <Keys keys={command.keys} />
                </div>
              ))}
            </section>
          );
        })}
        <p className="fine">
          Enter opens and closes the card in focus. In the token strip, arrow keys move between
          tokens and Enter shows one in the details. In the question list they choose a question. In
          a chart they move between steps and Enter selects one.
        </p>
      </section>
      <section>
        <h2>Words</h2>
        <Guarded name="The glossary" loading={<p className="fine">Loading the words …</p>}>
          <GlossaryList />
        </Guarded>
      </section>
    </div>
  </Dialog>
);
