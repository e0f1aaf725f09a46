internal import GemLedger
internal import StoreBackend

#if Receipts
internal import StoreReceipts

extension SubjectBench {
  func receipts() throws {
    let operations = settings.operationCount ?? 10_000
    // Apple's chain uses P-384, so the chain checks are measured with it.
    let receipts = try LocalReceipts(authority: LocalAuthority(curve: .p384), environment: .sandbox)
    let transaction = try Self.transaction()
    let receipt = receipts.receipt(for: transaction)
    let signed = receipt.text.split(separator: ".").prefix(2).joined(separator: ".")
    let bare = try BareSignatures(pem: receipts.authority.pem, message: Array(signed.utf8))
    let (app, root) = (receipts.verifier.app, receipts.authority.root)
    let chains = max(1, operations / 20)
    let measurement = try Measurement(
      [
        CallBenchmark("libcrypto, one ES256 check", operationCount: operations, call: bare.verify),
        CallBenchmark("verifier, chain in the cache", operationCount: operations) {
          try receipts.verify(receipt) == transaction
        },
        CallBenchmark("libcrypto, the chain's checks and ES256", operationCount: chains, call: bare.verifyChain),
        CallBenchmark("verifier, chain not seen before", operationCount: chains) {
          try AppleVerifier(app: app, roots: [root]).verify(receipt) == transaction
        },
        CallBenchmark("libcrypto, one ES256 signature", operationCount: operations, call: bare.sign),
        CallBenchmark("signer, one receipt", operationCount: operations) {
          !receipts.receipt(for: transaction).text.isEmpty
        },
      ], rounds: settings.rounds)
    show(measurement)
    let ratios = [
      ("chain in the cache to the bare check", 1), ("new chain to the bare checks", 3), ("signer to bare", 5),
    ]
    for (name, index) in ratios {
      print("    \(name): \(Figure.ratio(measurement.rateRatio(of: index, to: index - 1)))")
    }
  }

  private static func transaction() throws -> StoreTransaction {
    let now = Timestamp(milliseconds: 1_790_000_000_000)
    return StoreTransaction(
      store: .apple, environment: .sandbox, id: try StoreTransactionID("2000000000000001"),
      bundleID: "com.example.gems", storeProductID: "gems_1200", productType: .consumable,
      price: Money(minorUnits: 999, currency: "USD"), storefront: .unitedStates, purchasedAt: now, signedAt: now)
  }
}
#else
extension SubjectBench {
  func receipts() throws {
    print("    this build has no crypto library: swift run -c release --traits Receipts gembench receipts")
  }
}
#endif
