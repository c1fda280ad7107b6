/** Names of the files that are read of a folder that came back; nothing else of an archive is unpacked. */

const READ =
  /(?:^|\/)(?:experiment\.json|trainer_state\.json|sha256\.json|adapter_config\.json|adapter_model\.safetensors|(?:held-out|metrics|forage[^/]*|rollouts[^/]*)\.jsonl|rollouts\/\d+\.jsonl|completions_\d+\.parquet|[^/]+\.(?:log|out|txt))$/;

/** Of these only the name is used: they say what a trainer left instead of an adapter. */
const NAMED = /(?:^|\/)(?:adapter_model\.bin|global_step_\d+\/actor\/.*\.pt)$/;

export const isRead = (path: string): boolean => READ.test(path);
export const isNamed = (path: string): boolean => NAMED.test(path);
