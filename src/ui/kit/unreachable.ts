/** After a switch over all members of a union; the compiler proves it unreachable. */
export const unreachable = (value: never): never => {
  throw new Error(`not expected here: ${JSON.stringify(value)}`);
};
