import { snappyUncompress, type Compressors } from 'hyparquet';

/** Snappy, the compression of pandas, pyarrow and DuckDB; its output was measured before it is made. */
export const COMPRESSORS: Compressors = {
  SNAPPY: (input, bytes) => {
    const output = new Uint8Array(bytes);
    snappyUncompress(input, output);
    return output;
  },
};
