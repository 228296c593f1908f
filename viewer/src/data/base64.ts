// Base64 to bytes. The text of a long run has some megabytes: one pass, one buffer.

import { FormatError } from "./json_fields";

export function decodeBase64(text: string, where: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new FormatError(`${where} is not base64`);
  }
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}
