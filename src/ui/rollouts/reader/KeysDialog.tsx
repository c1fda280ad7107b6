import { Kbd, Modal } from '@mantine/core';
import { READER_KEYS } from './use-reader-keys.ts';

/** `?`: the reader's keys. */
export const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Modal.Root opened onClose={onClose} transitionProps={{ duration: 0 }}>
    <Modal.Overlay />
    <Modal.Content aria-label="Keys of the reader" className="dialog">
      <Modal.Body p="xs" className="dialog-body" tabIndex={0}>
        <h2>Keys of the reader</h2>
        {READER_KEYS.map(([key, name]) => (
          <div key={key} className="key-row">
            <span className="grow">{name}</span>
            <Kbd size="xs">{key}</Kbd>
          </div>
        ))}
        <p className="fine">
          In the token strip, arrow keys move between tokens; with Shift they select a range. Escape
          closes this list.
        </p>
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
);
