/** A list of names with descriptions, for empty pages. */
export const DescribedList = ({
  title,
  entries,
}: {
  title: string;
  entries: readonly (readonly [name: string, text: string])[];
}) => (
  <>
    <h2>{title}</h2>
    <dl className="told">
      {entries.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </>
);
