import { modelLibURLPrefix, modelVersion, prebuiltAppConfig } from '@mlc-ai/web-llm';
import { describe, expect, it } from 'vitest';
import { appConfig, modelLines } from '../../../../src/policy/remote/webllm/models.ts';

const PREFIX = modelLibURLPrefix + modelVersion;
const OWN = {
  id: 'mine',
  weights: 'http://localhost:8000/mine/',
  library: 'http://localhost:8000/mine.wasm',
  maxContext: 2048,
};

describe('the list of WebLLM models', () => {
  it('holds the library’s text models and the user’s, without embedding models', () => {
    const lines = modelLines(appConfig(prebuiltAppConfig, PREFIX, [OWN]), [OWN]);
    expect(lines[0]).toEqual({
      id: 'mine',
      memoryMB: null,
      features: [],
      maxContext: 2048,
      custom: true,
    });
    const ids = lines.map(({ id }) => id);
    expect(ids).toContain('Qwen2-0.5B-Instruct-q4f32_1-MLC'.replace('Qwen2-', 'Qwen2.5-'));
    expect(ids.some((id) => id.includes('embed'))).toBe(false);
    expect(prebuiltAppConfig.model_list.some(({ model_id: id }) => id.includes('embed'))).toBe(
      true,
    );
    expect(lines.length).toBeGreaterThan(50);
  });

  it('asks a mirror for every file of the list, and leaves the user’s addresses alone', () => {
    const mirror = { weights: 'http://mirror/hub', libraries: 'http://mirror/libs/' };
    const { model_list: records } = appConfig(prebuiltAppConfig, PREFIX, [OWN], mirror);
    expect(new URL('ndarray-cache.json', records[0]?.model).href).toBe(
      'http://localhost:8000/mine/ndarray-cache.json',
    );
    expect(records[0]?.model_lib).toBe(OWN.library);
    for (const { model, model_lib: library } of records.slice(1)) {
      expect(model).toMatch(/^http:\/\/mirror\/hub\/[^/]/);
      expect(library).toMatch(/^http:\/\/mirror\/libs\/[^/]+\.wasm$/);
    }
  });

  it('lets a model of the user’s stand for one of the list', () => {
    const id = prebuiltAppConfig.model_list[0]?.model_id ?? '';
    const { model_list: records } = appConfig(prebuiltAppConfig, PREFIX, [{ ...OWN, id }]);
    expect(records.filter((record) => record.model_id === id)).toHaveLength(1);
    expect(records[0]?.model_lib).toBe(OWN.library);
  });
});
