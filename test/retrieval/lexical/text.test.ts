import { describe, expect, it } from 'vitest';
import { foldText, terms } from '../../../src/retrieval/lexical/text.ts';

describe('terms', () => {
  it('folds case and diacritics', () => {
    expect(terms('Étoile ÉTOILE etoile')).toEqual(['etoile', 'etoile', 'etoile']);
    expect(foldText('Ørla ﬁlm Ⅳ')).toBe('ørla film iv');
  });

  it('drops punctuation and the possessive, keeps numbers', () => {
    expect(terms("Silent Harbor's director (1987), isn't it?")).toEqual([
      'silent',
      'harbor',
      'director',
      '1987',
      'isn',
      't',
      'it',
    ]);
  });

  it('has none in an empty text', () => {
    expect(terms(' … ')).toEqual([]);
  });
});
