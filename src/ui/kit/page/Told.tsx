/** Names, each with what it tells, under a heading: what the entrance of a place says of what will be there. */
export const Told = ({
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
