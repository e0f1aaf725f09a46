#if Server
internal import GemLedger

/// The page that asks for a key.
struct SignInPage {
  /// The page to show afterwards.
  let next: ConsolePath
  let error: LedgerError?

  var html: HTML {
    let form = HTML.element(
      .form, [],
      [
        Field.hidden("next", next.description),
        Field("key", "Secret key", .secret, hint: "It begins with sk_. \"gemctl key create --secret\" makes one.")
          .html(),
        .element(.button, [], ["Sign in"]).with(.type, "submit"),
      ]
    ).with(.method, "post").with(.action, ConsolePath("sign-in").description)
    return PageFrame.document(
      title: "Sign in",
      [
        HTML.element(
          .main, [], [.h1("GemLedger console"), error.map(PageFrame.message) ?? .none, form]
        ).classed("sign-in")
      ])
  }
}
#endif
