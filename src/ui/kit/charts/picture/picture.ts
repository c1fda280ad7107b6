/** A picture as the text of an SVG file, in CSS pixels. */
export interface Picture {
  svg: string;
  width: number;
  height: number;
}
