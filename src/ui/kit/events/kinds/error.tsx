import type { CardDefinition } from '../parts/definition.ts';

/** The card of a fault: the policy broke the format, or a part of the environment failed. */
export const error: CardDefinition<'error'> = {
  glyph: () => ({ sign: 'fault', name: 'Fault', tone: 'bad' }),
  line: ({ message }) => message,
  lineInBody: false,
  besideText: true,
  Body: ({ event }) => (
    <div className="body">
      <p>{event.message}</p>
      <p className="fine">
        {event.what === 'malformed'
          ? 'The model did not keep to the format; this was recorded, and the rollout went on.'
          : `A fault of the ${event.what}.`}
      </p>
    </div>
  ),
};
