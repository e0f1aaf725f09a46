extension DemoScript {
  /// The demo script of the other ways to move currency, besides buying and spending.
  static let economy = DemoScript(
    name: "economy", summary: "spends undone, holds, promotions, gifts, and a refund in mid-hold",
    hint: ", with the ids that yours print; the days pass by themselves only here",
    file: ("economy.json", economyCatalog),
    steps: [
      Step("cat economy.json", "What is sold, and for what. Put it into a file of this name to play along."),
      Step("gemctl init economy.json"),
      Step("gemctl buy gems_500", "Alice buys gems. They are a lot of their own, with the price that she paid."),
      Step("gemctl grant COIN=10 --reason welcome --customer bob", "Bob is there too."),
      Step("gemctl spend GEM=50 --reference skin-7", "She spends 50 of them on a skin, which turns out to be broken."),
      Step("gemctl reverse {transaction}", "So the spend is undone: back into the very lot, and not as a gift."),
      Step("gemctl hold GEM=100 --for 15m", "A duel costs up to 100. They are set aside, and not spent yet."),
      Step("gemctl spend GEM=450", "Nothing else can spend them meanwhile.", status: 2),
      Step("gemctl capture {hold} GEM=60", "The duel came to 60. They are spent, and the rest is free again."),
      Step(
        "gemctl grant GEM=30 --source promotional --reason launch --expires {tomorrow}",
        "A promotion gives 30 until tomorrow. Spending takes first what expires first."),
      Step("gemctl spend GEM=30 --reference skin-8"),
      Step(
        "gemctl reverse {transaction}", "Two days later that spend is undone: the promotion is over, and stays over.",
        daysBefore: 2),
      Step("gemctl transfer GEM=20 --from alice --to bob", "A gift. The gems keep their price and their origin."),
      Step("gemctl exchange GEM=10 --into COIN --rate 100/1", "Some are changed into coins, at a stated rate."),
      Step("gemctl explain GEM --limit 3", "Why is it 410? By lots and entries, down to the purchase."),
      Step("gemctl hold GEM=200", "She holds 200 for an auction,"),
      Step("gemctl store refund {store transaction}", "and asks the store for her money back in the middle of it."),
      Step("gemctl balance", "What was free went at once; what is on hold waits for its end."),
      Step("gemctl release {hold}", "Now that goes to the refund too: nobody keeps both the money and the gems."),
      Step("gemctl verify", "The books are proved from the journal alone."),
    ])

  private static let economyCatalog = """
    {"currencies": [{"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"}],
     "products": [
       {"code": "gems_500", "store_ids": {"apple": "gems_500"}, "type": "consumable",
        "localizations": [{"locale": "en_US", "title": "500 Gems"}],
        "prices": {"USA": "4.99"}, "grants": [{"currency": "GEM", "amount": 500}]}]}

    """
}
