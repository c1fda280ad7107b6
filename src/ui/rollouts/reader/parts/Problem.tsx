/** A failure with what to do. */
export const Problem = ({ what, message }: { what: string; message: string }) => (
  <p role="alert" className="note tone-bad">
    ⚠ {what} could not be read: {message}. Nothing was lost; open the page again, or import the file
    again if that does not help.
  </p>
);
