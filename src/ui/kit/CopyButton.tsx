import { useState } from 'react';

/** Copies a text and says so for a moment. */
export const CopyButton = ({ label, text }: { label: string; text: () => string }) => {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid('copied');
    } catch {
      setSaid('the browser refused');
    }
    setTimeout(() => setSaid(''), 1500);
  };
  return (
    <>
      <button type="button" className="link" onClick={() => void copy()}>
        {said || label}
      </button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
};
