// Puts the files of the pack that the build made where Python finds them.
export const SITE = "/lib/python3.14/site-packages";

export function mount(python, pack) {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(4, 4 + length)));
  let start = 4 + length;
  for (const [path, size] of index) {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, pack.subarray(start, start + size));
    start += size;
  }
}
