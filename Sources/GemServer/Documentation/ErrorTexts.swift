#if Server
/// Meaning and remedy of each error code, as the page *ErrorCodes* of `GemLedger` has them; a test compares the two.
enum ErrorTexts {
  struct Text: Sendable {
    let meaning: String
    let remedy: String
  }

  private static func text(_ meaning: String, remedy: String) -> Text { Text(meaning: meaning, remedy: remedy) }

  /// The texts by error code.
  static let all: [String: Text] = [
    "invalid_request": text(
      "The request is malformed: nothing to adjust, a currency named twice, a condition on another currency, "
        + "an expiry that is past or after the year 9999, a forged cursor, a price or a command line that cannot "
        + "be read; a customer that gives and gets the same in one basket, a currency that is exchanged into "
        + "itself.",
      remedy: "Correct the request."),
    "invalid_identifier": text(
      "An identifier is empty, too long or holds a control character; a customer id begins with `$erased:` or "
        + "`$stock:`, which only the ledger itself gives; a currency code or a transaction id is not of its form.",
      remedy: "Correct the identifier; the detail `field` names it."),
    "amount_out_of_range": text(
      "An amount is zero, has the wrong sign or passes ``Limits/amount``; a quantity passes "
        + "``Limits/quantity``; a hold is to last less than a second or more than thirty days; a credit would pass "
        + "the hard limit of a balance.",
      remedy: "Correct the amount."),
    "limit_exceeded": text(
      "A list is longer than its limit, or a page is smaller or larger than allowed; a hold is to last longer "
        + "than thirty days from its beginning.",
      remedy: "Split the request."),
    "invalid_catalog": text(
      "The catalog has problems; all of them are in the message and in the details.",
      remedy: "Correct the catalog (<doc:Catalog>)."),
    "invalid_import": text(
      "The imported file has problems; up to a hundred are in the message and in the details, each with its "
        + "line. Nothing was booked.",
      remedy: "Correct the file, or export it again (<doc:Export>)."),
    "customer_not_found": text(
      "No customer has this id.",
      remedy: "Check the spelling; a purchase, a grant or ``Ledger/createCustomer(_:)`` makes a customer."),
    "key_conflict": text(
      "The key was used for another request; the detail `field` names the difference.",
      remedy: "Use a new key for a new request."),
    "unknown_currency": text(
      "The catalog has no such currency.",
      remedy: "Check the code, or define the currency."),
    "product_not_found": text(
      "The catalog has no such product.",
      remedy: "Add the product to the catalog, then credit again: nothing of the purchase is lost."),
    "item_not_found": text(
      "The catalog has no such item.",
      remedy: "Check the id."),
    "offering_not_found": text(
      "The catalog has no such offering.",
      remedy: "Check the id."),
    "transaction_not_found": text(
      "The journal has no such transaction, or the id was made by another project.",
      remedy: "Check the id."),
    "order_not_found": text(
      "There is no order with this purchase code.",
      remedy: "Check the code."),
    "purchase_not_found": text(
      "Nothing was credited for such a store transaction.",
      remedy: "Check store, environment and id."),
    "hold_not_found": text(
      "No hold has this id, or the id was made by another project.",
      remedy: "Check the id; the answer to the hold contains it."),
    "endpoint_not_found": text(
      "The project has no such webhook endpoint.",
      remedy: "Check the id, or make the endpoint."),
    "already_exists": text(
      "The object already exists, such as a ledger in that file.",
      remedy: "Open it, or name another location."),
    "in_progress": text(
      "A duplicate of the command is still running. Reserved for servers: inside a process a duplicate waits "
        + "for the first and gets its answer.",
      remedy: "Ask again with the same key."),
    "outcome_unknown": text(
      "The commit failed with an unknown outcome; or another server, to which an exchange goes, gave no clear "
        + "answer.",
      remedy: "Ask again with the same key."),
    "condition_failed": text(
      "A condition on version, minimum or maximum does not hold; the details have `wanted` and `found`, of a "
        + "document its `version`.",
      remedy: "Read the balance again, then decide again."),
    "customer_frozen": text(
      "The customer may not spend.",
      remedy: "Find out why, then use a new key."),
    "not_available": text(
      "The item is not for sale now, or fewer are left than asked for (details `stock` and `left`); the "
        + "currency is inactive (detail `currency`), or was used and cannot be removed; from a shop: it does not "
        + "sell the product there.",
      remedy: "Wait until it is available, then use a new key."),
    "limit_reached": text(
      "The item's limit per customer would be exceeded; the details have `limit` and `owned`. Or the limit per "
        + "day, week or month would be exceeded; the details have `limit`, `used`, `needed` and `resets_at`.",
      remedy: "Ask for less, or wait for the next period, then use a new key."),
    "insufficient_balance": text(
      "The available balance does not cover the amount; the details have `needed`, `available` and `held`. In a "
        + "basket also: a sender lacks the items to give.",
      remedy: "Buy or earn some, then use a new key."),
    "over_maximum": text(
      "The balance would pass the currency's maximum; the details have `balance`, `amount` and `maximum`.",
      remedy: "Give less, then use a new key."),
    "rounds_to_zero": text(
      "The result of an exchange is less than a unit, and is rounded down to nothing.",
      remedy: "Exchange more, then use a new key."),
    "same_customer": text(
      "Both ids of a merge, of a transfer or of a step of a basket name the same customer.",
      remedy: "Nothing is left to do."),
    "already_refunded": text(
      "The store transaction is already refunded in full.",
      remedy: "Nothing is left to do."),
    "already_reversed": text(
      "The transaction is already reversed in full.",
      remedy: "Nothing is left to do."),
    "exceeds_original": text(
      "The reversal exceeds the part of the transaction that is not reversed yet; the details have `needed` and "
        + "`left`.",
      remedy: "Reverse at most the rest, under a new key."),
    "not_reversible": text(
      "Transactions of this kind cannot be reversed (the detail `kind`): only spends, purchases of items and "
        + "captures can. Or the customer no longer owns the bought items (the details `item` and `owned`).",
      remedy: "Do the opposite: refund a purchase at the store, release a hold, spend a grant, transfer a "
        + "transfer back."),
    "hold_ended": text(
      "The hold was captured, released, or is past its deadline.",
      remedy: "Begin a new hold."),
    "exceeds_hold": text(
      "The capture exceeds the rest of the hold; the details have `held` and `needed`.",
      remedy: "Capture at most the held amount under a new key, and spend the rest separately."),
    "purchase_cancelled": text(
      "The customer cancelled at the store; there is no payment.",
      remedy: "Nothing was changed."),
    "purchase_pending": text(
      "Another person has to agree first, such as a parent.",
      remedy: "Wait; the purchase follows its approval."),
    "purchase_declined": text(
      "The other person did not agree.",
      remedy: "Nothing was changed."),
    "store_error": text(
      "The store failed; the detail `store_error` names the failure.",
      remedy: "Try again later."),
    "validation_pending": text(
      "The purchase is paid for and waits in the queue for its credit.",
      remedy: "Wait, or drain the queue; nothing is lost."),
    "validation_failed": text(
      "The purchase is paid for and was refused its credit; it stays in the queue, unfinished.",
      remedy: "Read the code and the message, remedy the cause, then requeue it."),
    "receipt_malformed": text(
      "A receipt cannot be read.",
      remedy: "Send the store's receipt unchanged."),
    "receipt_unverified": text(
      "A receipt is not signed by the store, or not unaltered; the detail `check` names the failed condition.",
      remedy: "Do not credit it."),
    "receipt_future_dated": text(
      "A receipt is dated further ahead than a clock can be wrong; the detail `check` names the date.",
      remedy: "Compare the clocks, then post it again."),
    "bundle_mismatch": text(
      "A receipt is for another app.",
      remedy: "Compare the bundle id with the catalog's settings."),
    "environment_not_allowed": text(
      "A receipt is from an environment that is not credited here, such as the sandbox.",
      remedy: "Allow the environment, or use the right store account."),
    "receipt_revoked": text(
      "The store revoked the purchase before it was credited.",
      remedy: "Nothing is to be credited."),
    "amount_mismatch": text(
      "A receipt's price or quantity is not that of the product.",
      remedy: "Compare the catalog with the store."),
    "purchase_already_in_progress": text(
      "Another purchase of this client is under way.",
      remedy: "Wait for it to end."),
    "configuration": text(
      "The client is set up wrongly, such as with a secret key, or was not set up.",
      remedy: "Read the message and correct the set-up."),
    "invalid_user_id": text(
      "The app user id cannot name a customer.",
      remedy: "Send your app's id for the user; it must be hard to guess."),
    "unauthenticated": text(
      "The caller proved no identity.",
      remedy: "Send a valid key."),
    "forbidden": text(
      "The caller may not do this.",
      remedy: "Use a key with the right."),
    "rate_limited": text(
      "Too many requests in a short time.",
      remedy: "Wait for the seconds in `retry_after`."),
    "backend_unreachable": text(
      "The backend could not be reached.",
      remedy: "Try again with the same key."),
    "timed_out": text(
      "No answer arrived in time.",
      remedy: "Try again with the same key."),
    "storage_unavailable": text(
      "The storage was closed, or stayed locked by another process; or a client's file was moved, replaced or "
        + "removed while it was in use.",
      remedy: "Try again with the same key."),
    "clock_implausible": text(
      "The machine's clock is far ahead of the newest transaction, or earlier than it (<doc:Time>).",
      remedy: "Set the clock, then try again with the same key."),
    "storage_damaged": text(
      "The storage is damaged, or holds rows that contradict each other.",
      remedy: "Run verify; if the error or `verify` names an id, run `gemctl storage repair`, otherwise restore "
        + "a backup."),
    "storage_foreign": text(
      "The file is not a GemLedger storage; it was left as it is.",
      remedy: "Name another file."),
    "storage_newer": text(
      "The storage was written by a newer version; it was left as it is.",
      remedy: "Update this program."),
    "input_output": text(
      "The operating system refused to read or write: no such file, no rights, a full disk.",
      remedy: "Remedy the cause, then try again with the same key."),
    "books_wrong": text(
      "The proof of the books found a problem.",
      remedy: "Read the problems (<doc:Verification>); restore a backup."),
    "unexpected": text(
      "A defect of this software.",
      remedy: "Report it with the steps that led to it."),
  ]
}
#endif
