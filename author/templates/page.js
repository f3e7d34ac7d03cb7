export async function mount(root, sdk) {
  const note = document.createElement('textarea');
  note.className = 'note';
  note.setAttribute('aria-label', {{quoted name}});
  note.value = (await sdk.storage.get('note')) ?? '';
  if (sdk.signal.aborted) return;
  note.addEventListener('change', () => sdk.storage.set('note', note.value), {signal: sdk.signal});
  root.append(note);
  return () => note.remove();
}
