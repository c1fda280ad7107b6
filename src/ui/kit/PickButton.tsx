import { Button, type ButtonProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';

/** A button that opens the file or folder dialog. */
export const PickButton = ({
  field,
  folder = false,
  accept,
  title,
  size,
  variant = 'filled',
  onFiles,
  children,
}: {
  /** Name of the file input. */
  field: string;
  folder?: boolean;
  accept?: string;
  title?: string;
  size: NonNullable<ButtonProps['size']>;
  variant?: 'default' | 'filled';
  /** Called with at least one file. */
  onFiles: (files: File[]) => void;
  children: ReactNode;
}) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple
        hidden
        aria-label={field}
        // Not in React's types, but supported by every browser.
        {...(folder && { webkitdirectory: '' })}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
      <Button size={size} variant={variant} title={title} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
};
