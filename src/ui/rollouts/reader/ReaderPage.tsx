import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { endOfRow } from '../../../evaluate/rollouts/row.ts';
import { answerText } from '../../../records/outside-answer.ts';
import type { Reading } from '../../../lab/contract/rollouts.ts';
import { HopPicture, type HopAnswer } from '../../kit/hops/HopPicture.tsx';
import { usePlace, type Place, type RolloutName } from './store/address.ts';
import { DiffView } from './views/DiffView.tsx';
import { GroupView } from './views/GroupView.tsx';
import { NoFork, WithRunForks } from './RunForks.tsx';
import { Kbd, Modal } from '@mantine/core';
import { Waterfall } from '../../kit/waterfall/Waterfall.tsx';
import { useAnswer } from '../../kit/use-answer.ts';
import { neighboursIn, storedOrder } from './store/order.ts';
import { Problem } from './parts/Problem.tsx';
import { ReaderHeader } from './ReaderHeader.tsx';
import { Rounds } from './views/Rounds.tsx';
import { ScoresView } from './views/ScoresView.tsx';
import { TextView } from './views/TextView.tsx';
import { TokensView } from './tokens/TokensView.tsx';
import { useMark } from './store/use-mark.ts';
import { useReaderKeys, READER_KEYS } from './use-reader-keys.ts';
import { unfilledViews, VIEW_IDS, ViewTabs } from './ViewTabs.tsx';
import { WhatIfView } from './views/WhatIfView.tsx';
import { readRollout } from './store/api.ts';
import './reader.css';
import './views/views.css';
import './views/raw-text.css';
import './tokens/tokens-view.css';

/**
 * `event`: segment of the address, `change`: number of a difference, `findAsked`: counts presses of
 * the find key, each of which focuses the field.
 */
interface PanelProps {
  reading: Reading;
  place: Place;
  event: number | null;
  change: number | null;
  findAsked: number;
}

/** The outcome's name for the answer. */
const answerOf = ({ rollout, row }: Reading): HopAnswer => {
  const end = endOfRow(row.row);
  return {
    text: answerText(rollout),
    gold: rollout.question.answers.join(' / ') || 'none in the file',
    right: end === null ? null : end === 'right' || end === 'right-unread',
  };
};

/** The view of the address, with only the props it needs. */
const Panel = ({ reading, place, event, change, findAsked }: PanelProps) => {
  const { address } = place;
  const { rollout, rounds, findings } = reading;
  const goEvent = useCallback((to: number) => place.change({ event: to }), [place]);
  const readText = useCallback(
    (segment: number) => place.change({ view: 'text', event: segment }),
    [place],
  );
  const diff = useCallback((other: RolloutName) => place.change({ view: 'diff', other }), [place]);
  switch (address.view) {
    case 'rounds':
      return (
        <>
          <NoFork reading={reading} />
          <HopPicture map={reading.hops} answer={answerOf(reading)} go={goEvent} />
          <Rounds
            rollout={rollout}
            rounds={rounds}
            findings={findings}
            event={event}
            readText={readText}
            goEvent={goEvent}
          />
        </>
      );
    case 'text':
      return <TextView rollout={rollout} findings={findings} event={event} findAsked={findAsked} />;
    case 'tokens':
      return (
        <TokensView
          reading={reading}
          range={address.tokens}
          onRange={(tokens) => place.change({ tokens })}
        />
      );
    case 'time':
      return (
        <Waterfall
          id="waterfall"
          record={rollout}
          open={(at) => {
            const segment = rollout.events?.[at]?.segment;
            place.change(
              segment === undefined ? { view: 'rounds' } : { view: 'rounds', event: segment },
            );
          }}
        />
      );
    case 'group':
      return <GroupView reading={reading} open={place.open} diff={diff} />;
    case 'diff':
      return (
        <DiffView
          reading={reading}
          other={address.other}
          step={change}
          choose={(other) => place.change({ other })}
          open={place.open}
        />
      );
    case 'scores':
      return <ScoresView reading={reading} />;
    case 'what-if':
      return <WhatIfView reading={reading} />;
  }
};

const Missing = () => (
  <main className="page" tabIndex={-1}>
    <h1>This rollout is not here</h1>
    <p>
      Rollouts stay in the browser that imported them. The file was deleted, or imported in another
      browser. Import it here, then choose the rollout in the table.
    </p>
    <p>
      <Link href="/rollouts">Rollouts in this browser</Link>
    </p>
  </main>
);

/** `?`: the reader's keys. */
const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Modal.Root opened onClose={onClose} transitionProps={{ duration: 0 }}>
    <Modal.Overlay />
    <Modal.Content aria-label="Keys of the reader" className="dialog">
      <Modal.Body p="xs" className="dialog-body" tabIndex={0}>
        <h2>Keys of the reader</h2>
        {READER_KEYS.map(([key, name]) => (
          <div key={key} className="key-row">
            <span className="grow">{name}</span>
            <Kbd size="xs">{key}</Kbd>
          </div>
        ))}
        <p className="fine">
          In the token strip, arrow keys move between tokens; with Shift they select a range. Escape
          closes this list.
        </p>
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
);

const Reader = ({ reading, place }: { reading: Reading; place: Place }) => {
  const { address } = place;
  const { rollout, rounds, file } = reading;
  const order = useMemo(() => storedOrder(file.id), [file.id]);
  const neighbours = useMemo(() => neighboursIn(order, reading), [order, reading]);
  const mark = useMark(file.name, rollout.id);
  const [findAsked, setFindAsked] = useState(0);
  const [change, setChange] = useState<number | null>(null);
  const [keysShown, setKeysShown] = useState(false);
  const box = useRef<HTMLElement>(null);
  const unfilled = useMemo(() => unfilledViews(reading), [reading]);
  const event =
    address.event ?? (address.round === null ? null : (rounds[address.round]?.segments[0] ?? null));
  const valid = event !== null && event < rollout.segments.length ? event : null;

  const go = useCallback(
    (rolloutId: string) => place.open({ fileId: file.id, rolloutId }),
    [place, file.id],
  );
  /** Next and previous: a change in a diff, otherwise an event. Views without events go to the rounds. */
  const step = (by: number) => {
    if (address.view === 'diff') return setChange((now) => (now === null ? 0 : now + by));
    const last = rollout.segments.length - 1;
    const next = valid === null ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, valid + by));
    const shows = address.view === 'text' || address.view === 'rounds';
    place.change(shows ? { event: next } : { view: 'rounds', event: next });
  };
  useReaderKeys({
    nextRollout: () => neighbours.next !== null && go(neighbours.next),
    previousRollout: () => neighbours.previous !== null && go(neighbours.previous),
    nextEvent: () => step(1),
    previousEvent: () => step(-1),
    group: () => place.change({ view: 'group' }),
    find: () => {
      place.change({ view: 'text' });
      setFindAsked((count) => count + 1);
    },
    bookmark: () => mark.change({ bookmarked: !mark.value.bookmarked }),
    keys: () => setKeysShown(true),
    view: (number) => {
      const view = VIEW_IDS[number - 1];
      if (view) place.change({ view });
    },
  });
  useEffect(() => {
    // Scrolls to the top for another rollout or view.
    if (box.current && valid === null) box.current.scrollTop = 0;
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- an event scrolls by itself
  }, [rollout.id, address.view]);
  const fills = address.view === 'text' || address.view === 'scores';
  return (
    <main className={fills ? 'reader fills' : 'reader'} tabIndex={-1} ref={box}>
      <ReaderHeader
        reading={reading}
        neighbours={neighbours}
        mark={mark}
        go={go}
        rest={address.rest}
      />
      <ViewTabs view={address.view} unfilled={unfilled} show={(view) => place.change({ view })} />
      <div
        className="reader-panel"
        id="reader-panel"
        role="tabpanel"
        aria-labelledby={`tab-${address.view}`}
      >
        <WithRunForks reading={reading}>
          <Panel
            key={`${file.id} ${rollout.id}`}
            reading={reading}
            place={place}
            event={valid}
            change={change}
            findAsked={findAsked}
          />
        </WithRunForks>
      </div>
      {keysShown ? <KeysDialog onClose={() => setKeysShown(false)} /> : null}
    </main>
  );
};

/** One imported rollout: `/rollouts/:fileId/:rolloutId`. */
export default function ReaderPage() {
  const place = usePlace();
  const { fileId, rolloutId } = place.address;
  const [shown, setShown] = useState<Reading | null>(null);
  const read = useAnswer(`${fileId} ${rolloutId}`, () => readRollout(fileId, rolloutId));
  // The previous rollout stays until the next is loaded, to avoid flicker.
  if (read.state === 'ready' && read.value && read.value !== shown) setShown(read.value);
  if (read.state === 'failed')
    return (
      <main className="page" tabIndex={-1}>
        <h1>Rollout</h1>
        <Problem what="This rollout" message={read.message} />
      </main>
    );
  if (read.state === 'ready' && !read.value) return <Missing />;
  const reading = read.state === 'ready' ? read.value : shown;
  if (!reading)
    return (
      <main className="page" tabIndex={-1} aria-busy="true">
        <p className="fine">Reading the rollout …</p>
      </main>
    );
  return <Reader reading={reading} place={place} />;
}
