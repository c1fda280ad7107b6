/** [rows, columns] of doubles: what the oracle computes with. */
export class Table {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;

  constructor(rows: number, columns: number, values?: ArrayLike<number>) {
    this.rows = rows;
    this.columns = columns;
    this.values = values ? Float64Array.from(values) : new Float64Array(rows * columns);
    if (this.values.length !== rows * columns)
      throw new RangeError(
        `oracle: ${this.values.length} values are not a table of ${rows} × ${columns}`,
      );
  }

  at(row: number, column: number): number {
    const value = this.values[row * this.columns + column];
    if (value === undefined || column >= this.columns)
      throw new RangeError(
        `oracle: row ${row}, column ${column} of a table of ${this.rows} × ${this.columns}`,
      );
    return value;
  }

  set(row: number, column: number, value: number): void {
    if (row >= this.rows || column >= this.columns)
      throw new RangeError(
        `oracle: row ${row}, column ${column} of a table of ${this.rows} × ${this.columns}`,
      );
    this.values[row * this.columns + column] = value;
  }

  add(row: number, column: number, value: number): void {
    this.set(row, column, this.at(row, column) + value);
  }

  /** A view of one row. */
  row(row: number): Float64Array {
    return this.values.subarray(row * this.columns, (row + 1) * this.columns);
  }
}

/** Σ f(i) over [0, count). */
export function sum(count: number, f: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += f(i);
  return total;
}
