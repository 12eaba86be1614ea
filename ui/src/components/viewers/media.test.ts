import { describe, expect, it } from 'vitest';
import { byteLenOf, imageUrl, soundUrl } from './media';

describe('what is drawn and played', () => {
  it.each([
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'image/svg+xml',
    'IMAGE/PNG',
    'image/png; x=y',
  ])('%s is drawn', (type) => expect(imageUrl(type, 'AAAA')).toMatch(/^data:image\/[a-z+]+;base64,AAAA$/));

  it.each([
    'text/html',
    'image/tiff',
    'image/svg',
    '',
    'application/pdf',
    'image/png,<script>',
    'x:image/png',
  ])('%j is not', (type) => expect(imageUrl(type, 'AAAA')).toBeUndefined());

  it('image/jpg is what many servers call JPEG', () => {
    expect(imageUrl('image/jpg', 'AAAA')).toBe('data:image/jpeg;base64,AAAA');
  });

  it('data that is not Base64 never gets into a URL', () => {
    expect(imageUrl('image/png', 'AA"onerror=')).toBeUndefined();
    expect(soundUrl('audio/wav', 'AA,AA')).toBeUndefined();
  });

  it('sounds have their own list', () => {
    expect(soundUrl('audio/wav', 'AAAA')).toBe('data:audio/wav;base64,AAAA');
    expect(soundUrl('video/mp4', 'AAAA')).toBeUndefined();
  });

  it('sizes are those of the bytes', () => {
    expect(['', 'QQ==', 'QUI=', 'QUJD', 'QUJDRA=='].map(byteLenOf)).toEqual([0, 1, 2, 3, 4]);
  });
});
