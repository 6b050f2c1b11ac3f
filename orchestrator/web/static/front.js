// The first page: what a rehearsal gives is brought once it has been played.

import { $ } from "./elements.js";
import { fitSheets } from "./fit.js";
import { pathTo } from "./place.js";
import { LONG_TIMEOUT_S, request } from "./request.js";

const answer = await request(pathTo("example"), {}, LONG_TIMEOUT_S, String);
$("example").replaceChildren(...(answer.isOk ? new DOMParser().parseFromString(answer.body, "text/html").body.children : []));
fitSheets($("example"));
