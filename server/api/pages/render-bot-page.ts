import { PRODUCT_TOKEN, type Identity } from '../../config/load-identity.ts';

/** The page that our User-Agent names: for the people whose sites we crawl. */
export function renderBotPage(identity: Identity): string {
  const contact = escapeHtml(identity.contact);
  const mail = `<a href="mailto:${contact}">${contact}</a>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${PRODUCT_TOKEN}: who crawls your site</title>
<style>
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; color: #222; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
code, pre { font-family: ui-monospace, monospace; background: #f3f3f3; border-radius: .2rem }
code { padding: .1rem .25rem } pre { padding: .75rem; overflow-x: auto }
.notice { border-left: .25rem solid #b60; padding-left: .75rem }
</style>
<h1>${PRODUCT_TOKEN}</h1>
${identity.isPlaceholder ? NOTICE : ''}<p>You probably came here from your server's log. ${PRODUCT_TOKEN} fetches web pages for several teams that share one
crawler, one set of manners and one daily budget for your site, so that more teams never mean more load for you.</p>

<h2>Is it really us?</h2>
<p>Our requests carry this <code>User-Agent</code>:</p>
<pre>${escapeHtml(identity.userAgent)}</pre>
<p>${identity.egressBlocks.length === 0 ? NO_ADDRESSES : ADDRESSES}</p>

<h2>Slow us down</h2>
<p>We open one connection to your site at a time and start a request one second after the last one ended at the earliest,
later when your server is slow or answers with errors. To slow us down further, give <code>Crawl-delay</code>, or answer 429
or 503 with <code>Retry-After</code>:</p>
<pre>User-agent: ${PRODUCT_TOKEN}
Crawl-delay: 10</pre>

<h2>Keep us out</h2>
<p>We follow <code>robots.txt</code> (RFC 9309) and look at it at least once a day. This keeps us out of everything:</p>
<pre>User-agent: ${PRODUCT_TOKEN}
Disallow: /</pre>
<p>A purpose has a name of its own. This keeps your pages out of AI training, and of nothing else:</p>
<pre>User-agent: ${PRODUCT_TOKEN}-ai-train
Disallow: /</pre>
<p>What your pages say by <code>X-Robots-Tag</code>, the robots <code>meta</code> element, Content-Usage, Content-Signal and TDMRep
is read and kept with every copy, for the teams that use it.</p>

<h2>Complain</h2>
<p>Write to ${mail}. Name your site and what happened, with times and log lines if you have them. We can slow down or stop
at once.</p>
</html>
`;
}

const NOTICE = `<p class="notice">The operator of this installation has not said how to be reached. It is set up to try things out on one
machine, not to crawl other people's sites.</p>
`;

const NO_ADDRESSES = `This installation does not publish the addresses it crawls from, so the name alone proves nothing. Write to us when a
request looks wrong.`;

const ADDRESSES = `They come from these addresses and no others: <a href="/bot/ip-ranges.json">/bot/ip-ranges.json</a>. Who uses our
name from elsewhere is not us.`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
