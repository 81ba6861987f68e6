// A program in the fragment of the address: deflated JSON in URL-safe base64. It never reaches a server.
const MOST_BYTES = 300_000;

async function through(bytes, transform) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > MOST_BYTES) throw new Error("the program in the link is too long");
    parts.push(value);
  }
}

export async function encoded(program) {
  const bytes = new TextEncoder().encode(JSON.stringify(program));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const text = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// The program of a fragment; null where it holds none that can be read.
export async function decoded(fragment) {
  try {
    const text = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return typeof found.text === "string" ? { text: found.text, torch: String(found.torch ?? "") } : null;
  } catch {
    return null;
  }
}
