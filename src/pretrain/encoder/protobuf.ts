import { ByteWriter } from '../../retrieval/web/bytes.ts';

/** Fields of one protobuf message, in the order in which they are added. */
export class Message {
  readonly #out = new ByteWriter();

  /** int32, int64, enum (not negative). */
  int(field: number, value: number): this {
    this.#out.varint(field * 8).varint(value);
    return this;
  }

  text(field: number, value: string): this {
    this.#out.varint(field * 8 + 2).text(value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#out.varint(field * 8 + 2).block(value);
    return this;
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.finish());
  }

  /** A repeated message. */
  messages(field: number, values: readonly Message[]): this {
    for (const value of values) this.message(field, value);
    return this;
  }

  /** A repeated int64, packed. */
  ints(field: number, values: readonly number[]): this {
    const packed = new ByteWriter();
    for (const value of values) packed.varint(value);
    return this.bytes(field, packed.finish());
  }

  finish(): Uint8Array {
    return this.#out.finish();
  }
}
