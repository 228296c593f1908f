// Entry: reads what the program put into the page and shows it, or says why it cannot.

import { startApp } from "./app";
import { decodeReport } from "./data/report_data";
import { makeProblemPage } from "./ui/page_header";

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

const decoded = decodeReport(textOf("report"), textOf("values"));
if (decoded.ok) {
  startApp(decoded.report);
} else {
  document.title = "No results";
  document.body.append(makeProblemPage(decoded.problem));
  document.documentElement.dataset.ready = "true";
}
