import { Button, Popover } from '@mantine/core';
import { useState, type ReactNode } from 'react';

/** A button with a small panel under it. */
export const Popup = (props: {
  name: string;
  note?: string;
  children: (close: () => void) => ReactNode;
}) => {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="default"
          title={props.note}
          onClick={() => setOpen(!open)}
        >
          {props.name}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" className="popup" aria-label={props.name}>
        {/* In a portal, outside the scope of this page's styles. */}
        <div className="at at-rollouts">{props.children(() => setOpen(false))}</div>
      </Popover.Dropdown>
    </Popover>
  );
};
