/**
 * Weights of a trained adapter that the page offers: about 10 MB that few visitors want.
 *
 * @param {string} path from the folder of the built page
 */
export const isAdapter = (path) => /^assets[/\\][^/\\]*\.safetensors$/.test(path);
