import { Button, type ButtonProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';

/** A button that lets files, or a whole folder, be chosen. */
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
  /** Name of the field for the files. */
  field: string;
  folder?: boolean;
  accept?: string;
  title?: string;
  size: NonNullable<ButtonProps['size']>;
  variant?: 'default' | 'filled';
  /** Called with one file at least. */
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
        // React has no type for it, every browser has it.
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
