/** Stands after a switch over every member of a union; the compiler proves that it is not reached. */
export const unreachable = (value: never): never => {
  throw new Error(`not expected here: ${JSON.stringify(value)}`);
};
