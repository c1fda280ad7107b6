import { expect, it } from 'vitest';
import { TableView } from '../../../../src/ui/evaluate/table/TableView.tsx';
import { parseEvaluateAddress } from '../../../../src/ui/evaluate/store/evaluate-address.ts';
import { Terms } from '../../../../src/ui/kit/words/explain/Term.tsx';
import { Picture } from '../../../../src/ui/kit/charts/picture/Picture.tsx';
import { Table } from '../../../../src/ui/kit/Table.tsx';
import { Select } from '../../../../src/ui/kit/Select.tsx';
import { buttonsIn, htmlOf } from '../render.tsx';

/** Acronyms open what they mean wherever they stand, unless a click there does something else. */

const opened = (html: string): string[] =>
  buttonsIn(html.replaceAll(/<button(?![^>]*explained)[^>]*>.*?<\/button>/gs, '')).map(
    ({ name }) => name,
  );

it('in the heads of tables, and beside those that sort', () => {
  const sorting = { names: ['held-out EM'], by: 'held-out EM', descending: true, sort: () => {} };
  const html = htmlOf(
    <Table
      className="x"
      heads={[['right by EM'], ['held-out EM'], ['F1', 'visually']]}
      sorting={sorting}
    >
      {null}
    </Table>,
  );
  expect(opened(html)).toEqual(['EM', 'What EM means']);
  // What sorts is a button of its own.
  expect(buttonsIn(html).map(({ name }) => name)).toContain('held-out EM ↓');
  // What is beside it is not a part of the column's name.
  expect(html).toMatch(/<th[^>]* aria-sort="descending"[^>]* aria-label="held-out EM"/);
});

it('with the punctuation that touches them, so that no line breaks between', () => {
  const shown = (text: string) =>
    htmlOf(<Terms>{text}</Terms>)
      .replaceAll(/<button[^>]*>(.*?)<\/button>/g, '$1')
      .replaceAll(/<span class="unbroken">(.*?)<\/span>/g, '[$1]');
  expect(shown('Parts: RDRA, STIE (NLR): all.')).toContain('Parts: [RDRA,] [STIE] [(NLR):] all.');
  expect(shown('“EM”/F1 – a KL-penalty. (LoRA)')).toContain(
    '[“EM”/][F1] – a [KL-]penalty. [(LoRA)]',
  );
});

it('in the titles and notes of pictures', () => {
  const html = htmlOf(
    <Picture
      id="p"
      title="Where they failed, by EM"
      note="Queries that STIE refused."
      empty="nothing"
      renderPicture={() => null}
      renderTable={() => null}
    />,
  );
  expect(opened(html)).toEqual(['EM', 'STIE']);
});

it('below the results of an evaluation, whose heads sort', () => {
  const result = { systems: [], rollouts: [], skipped: [] } as never;
  const table = { part: 'all', reference: 'x', rows: [] } as never;
  const html = htmlOf(
    <TableView
      id="e"
      result={result}
      tables={[table]}
      address={parseEvaluateAddress('')}
      change={() => {}}
    />,
  );
  expect(opened(html)).toEqual(['intervals', 'EM', 'F1', 'cover-EM', 'judge', 'recall', 'format']);
});

it('in the label of a list, and below it those of what is chosen', () => {
  const shown = (value: string) =>
    opened(
      htmlOf(
        <Select
          label="KL penalty"
          value={value}
          data={[
            { group: 'g', items: [{ value: 'a', label: 'GRPO, EM and F1, EM again' }] },
            { value: 'b', label: 'off' },
            'PPO',
          ]}
          onChange={() => {}}
        />,
      ),
    );
  expect(shown('a')).toEqual(['KL', 'GRPO', 'EM', 'F1']);
  expect(shown('b')).toEqual(['KL']);
  expect(shown('PPO')).toEqual(['KL', 'PPO']);
});
