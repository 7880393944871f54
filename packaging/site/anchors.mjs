/** The anchor that a heading gets, as GitHub makes it, so that the links of the documents hold on both. */
export function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
