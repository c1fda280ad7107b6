import { useSetup } from '../setup-store.ts';

/** Recipes that read summaries need a summarizer. */
export const Unsummarized = () => {
  const change = useSetup((state) => state.change);
  return (
    <span className="tone-bad">
      ⚠ This recipe reads summaries, but no summarizer is chosen.{' '}
      <button
        type="button"
        className="link"
        onClick={() => change({ summarizer: { kind: 'extractive' } })}
      >
        Summarize by extraction
      </button>
    </span>
  );
};
