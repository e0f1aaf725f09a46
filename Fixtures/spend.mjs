// The spend endpoint of an app's own server, as RevenueCat's codelab on gems describes it: the price is the server's,
// the customer comes from the session, and a key that is sent again spends once. It talks to the currency API alone, so
// only the address and the key say which server that is.
const PRICES = { extra_life: 50, legendary_skin: 5000 };

export function makeSpend({ baseURL, secretKey, projectID, customerOf, grantItem }) {
  const call = (customer, adjustments, key) =>
    fetch(`${baseURL}/v2/projects/${projectID}/customers/${encodeURIComponent(customer)}/virtual_currencies/transactions`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${secretKey}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify({ adjustments }),
    });

  return async function spend(request) {
    const { item, idempotencyKey } = await request.json();
    const price = PRICES[item];
    if (price === undefined) return Response.json({ error: "Unknown item" }, { status: 400 });
    const customer = customerOf(request);
    const taken = await call(customer, { GEM: -price }, idempotencyKey);
    if (taken.status === 422) return Response.json({ error: "Not enough gems" }, { status: 402 });
    if (!taken.ok) return Response.json({ error: "Spend failed" }, { status: 502 });
    try {
      await grantItem(customer, item, idempotencyKey);
    } catch {
      // The gems go back under a key of their own: the spend's key is the spend's.
      const key = process.env.COMPENSATION_KEY === "same" ? idempotencyKey : `${idempotencyKey}:refund`;
      const returned = await call(customer, { GEM: price }, key);
      return Response.json({ error: "Item not granted", returned: returned.status }, { status: 500 });
    }
    return Response.json({ ok: true });
  };
}

// Run as a program: one line of JSON for each of the calls that the arguments name.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const failing = new Set(["fail"]);
  const spend = makeSpend({
    baseURL: process.env.BASE_URL,
    secretKey: process.env.SECRET_KEY,
    projectID: "default",
    customerOf: (request) => request.headers.get("X-Customer"),
    grantItem: async (customer, item, key) => {
      if (failing.has(key.split("-")[0])) throw new Error("out of stock");
    },
  });
  for (const argument of process.argv.slice(2)) {
    const [customer, item, idempotencyKey] = argument.split("/");
    const request = new Request("https://app.example.com/spend", {
      method: "POST",
      headers: { "X-Customer": customer },
      body: JSON.stringify({ item, idempotencyKey }),
    });
    const answer = await spend(request);
    console.log(JSON.stringify({ status: answer.status, body: await answer.json() }));
  }
}
