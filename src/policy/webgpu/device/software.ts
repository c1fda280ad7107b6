/** What an adapter says of itself, in one line. */
const said = ({ vendor, architecture, device, description }: GPUAdapterInfo): string =>
  `${vendor} ${architecture} ${device} ${description}`;

/** Whether the CPU is in for a GPU. */
export const isSoftware = (info: GPUAdapterInfo): boolean =>
  info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|\bcpu\b/iu.test(said(info));
