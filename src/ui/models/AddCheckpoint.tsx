import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { HUB } from '../../lab/models/checkpoints/plan/source.ts';
import { giveToken, lookLocal, lookNamed } from './store/checkpoint-actions.ts';
import { useModels } from './store/models-store.ts';
import { PickButton } from '../kit/PickButton.tsx';
import { FolderButton } from './parts/FolderButton.tsx';
import { LookResult } from './LookResult.tsx';
import { plainFiles } from './parts/folder-files.ts';
import { keepHub, storedHub } from './parts/hub.ts';

/** Names a checkpoint and previews it before anything is stored. */
export const AddCheckpoint = () => {
  const [text, setText] = useState('');
  const [hub, setHub] = useState(storedHub);
  const token = useModels((state) => state.token);
  return (
    <section className="add-checkpoint" aria-label="Add a checkpoint">
      <div className="add-line">
        <PickButton
          size="xs"
          accept=".gguf"
          field="Model file"
          title="A GGUF file, or all parts of a split one; you can also drop it here"
          onFiles={(files) => void lookLocal(plainFiles(files))}
        >
          Open a model file
        </PickButton>
        <FolderButton
          size="xs"
          variant="default"
          field="Folder of a checkpoint"
          title="config.json, tokenizer.json and safetensors; you can also drop the folder here"
          onFiles={(files) => void lookLocal(files)}
        >
          Choose a folder
        </FolderButton>
      </div>
      <form
        className="add-line"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') void lookNamed(text, hub);
        }}
      >
        <TextInput
          size="xs"
          className="grow"
          label="Repository or address"
          placeholder="Qwen/Qwen2.5-0.5B-Instruct, or https://…/model.gguf"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" type="submit" disabled={text.trim() === ''}>
          Check
        </Button>
      </form>
      <details>
        <summary>
          Hub: {hub.trim() === '' ? HUB : hub}
          {hub === HUB ? '' : ' (a mirror)'}
        </summary>
        <div className="hub-fields">
          <TextInput
            size="xs"
            label="Address of the hub or a mirror"
            description="Nothing is requested until you click Check."
            value={hub}
            onChange={(event) => {
              setHub(event.currentTarget.value);
              keepHub(event.currentTarget.value);
              // The token belongs to the current hub; the lab sends it to no other.
              giveToken(event.currentTarget.value, token);
            }}
          />
          <TextInput
            size="xs"
            type="password"
            label="Access token, for gated repositories"
            description="Sent only to this hub; kept only in memory, until this tab closes or reloads."
            autoComplete="off"
            value={token}
            onChange={(event) => giveToken(hub, event.currentTarget.value)}
          />
        </div>
      </details>
      <LookResult />
    </section>
  );
};
