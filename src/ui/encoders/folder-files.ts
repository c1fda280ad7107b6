import type { FolderFile } from '../../runs/encoders/messages.ts';

/** Files that an encoder's folder never needs, and that may be large. */
const NOT_NEEDED =
  /(^|\/)(\.git\/|openvino\/)|\.(safetensors|bin|h5|msgpack|ot|pt|pth|md|png|jpg)$/i;

/** The chosen folder's files as the store reads them, without weights in other formats. */
export const folderFiles = (files: Iterable<File>): FolderFile[] =>
  [...files]
    .map((file) => ({ path: file.webkitRelativePath || file.name, blob: file }))
    .filter(({ path }) => !NOT_NEEDED.test(path));
