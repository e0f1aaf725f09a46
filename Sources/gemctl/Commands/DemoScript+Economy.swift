extension DemoScript {
  /// The demo script of reversals, holds, promotions, transfers, exchanges and refunds.
  static let economy = DemoScript(
    name: "economy", summary: "reversals, holds, promotions, gifts, and a refund during a hold",
    hint: ", with your ids; only the demo advances the days",
    file: ("economy.json", economyCatalog),
    steps: [
      Step("cat economy.json", "The catalog. Save it under this name to repeat the demo."),
      Step("gemctl init economy.json"),
      Step("gemctl buy gems_500", "Alice buys gems. They form a lot with the price that she paid."),
      Step("gemctl grant COIN=10 --reason welcome --customer bob", "Bob is another customer."),
      Step("gemctl spend GEM=50 --reference skin-7", "She spends 50 of them on a skin, which turns out to be broken."),
      Step("gemctl reverse {transaction}", "The spend is reversed into its original lot."),
      Step("gemctl hold GEM=100 --for 15m", "A duel costs up to 100 gems. They are held, but not spent yet."),
      Step("gemctl spend GEM=450", "Nothing else can spend held gems.", status: 2),
      Step("gemctl capture {hold} GEM=60", "The duel cost 60 gems. They are spent, and the rest is available again."),
      Step(
        "gemctl grant GEM=30 --source promotional --reason launch --expires {tomorrow}",
        "A promotion grants 30 gems until tomorrow. Spends first take the gems that expire first."),
      Step("gemctl spend GEM=30 --reference skin-8"),
      Step(
        "gemctl reverse {transaction}", "Two days later the spend is reversed: the promotion has expired.",
        daysBefore: 2),
      Step("gemctl transfer GEM=20 --from alice --to bob", "A gift. The gems keep their price and origin."),
      Step("gemctl exchange GEM=10 --into COIN --rate 100/1", "Some gems are exchanged for coins, at a stated rate."),
      Step("gemctl explain GEM --limit 3", "The reason for the balance of 410: lots, entries and the purchase."),
      Step("gemctl hold GEM=200", "She holds 200 for an auction,"),
      Step("gemctl store refund {store transaction}", "and requests a refund from the store during the auction."),
      Step("gemctl balance", "The refund took the available gems. The held gems wait for the end of the hold."),
      Step("gemctl release {hold}", "The refund takes them too: Alice cannot keep both the money and the gems."),
      Step("gemctl verify", "The journal proves that the books add up."),
    ])

  private static let economyCatalog = """
    {"currencies": [{"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"}],
     "products": [
       {"code": "gems_500", "store_ids": {"apple": "gems_500"}, "type": "consumable",
        "localizations": [{"locale": "en_US", "title": "500 Gems"}],
        "prices": {"USA": "4.99"}, "grants": [{"currency": "GEM", "amount": 500}]}]}

    """
}
