/** Growing byte buffer with LEB128 unsigned integers. */
export class ByteWriter {
  #bytes = new Uint8Array();
  #length = 0;

  varint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.#push((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    this.#push(rest);
    return this;
  }

  /** Raw bytes. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Length-prefixed bytes. */
  block(bytes: Uint8Array): this {
    return this.varint(bytes.length).raw(bytes);
  }

  /** Length-prefixed UTF-8. */
  text(text: string): this {
    return this.block(new TextEncoder().encode(text));
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  #reserve(extra: number): void {
    if (this.#length + extra <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + extra));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads what ByteWriter wrote; throws a RangeError past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('unexpected end');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** The next `length` bytes, in place. */
  raw(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('unexpected end');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Length-prefixed bytes, in place. */
  block(): Uint8Array {
    return this.raw(this.varint());
  }

  text(): string {
    return new TextDecoder().decode(this.block());
  }
}
