import GemLedger

/// The default catalog of a new home: three packs of gems and two items to spend them on.
enum BuiltInCatalog {
  /// - Throws: `LedgerError` with `invalid_catalog`, which would be a mistake of ours.
  static func load() throws(LedgerError) -> Catalog { try Catalog.loadFile(Array(text.utf8)) }

  /// The file that a user could have written.
  static let text = #"""
    {
      "currencies": [
        {"code": "GEM", "name": "Gems", "description": "Hard currency", "icon": null,
         "maximum_balance": null, "burn_order": "free_first", "refund_policy": "floor"}
      ],
      "products": [
        {"code": "gems_300", "store_ids": {"apple": "gems_300", "google": "gems_300"}, "type": "consumable", "active": true,
         "localizations": [
           {"locale": "en_US", "title": "300 Gems", "description": "A handful of gems"},
           {"locale": "ja_JP", "title": "ジェム300個", "description": "ひとつかみのジェム"},
           {"locale": "vi_VN", "title": "300 Đá quý", "description": "Một nắm đá quý"},
           {"locale": "de_DE", "title": "300 Edelsteine", "description": "Eine Handvoll Edelsteine"}
         ],
         "prices": {"USA": "2.99", "JPN": "450", "VNM": "75000", "DEU": "2.99"}, "discount_prices": {},
         "grants": [{"currency": "GEM", "amount": 300, "bonus": 0, "expires_at_cycle_end": false}],
         "item_grants": [], "entitlement": null, "period": null},
        {"code": "gems_1200", "store_ids": {"apple": "gems_1200", "google": "gems_1200"}, "type": "consumable", "active": true,
         "localizations": [
           {"locale": "en_US", "title": "1,200 Gems", "description": "A bag of gems"},
           {"locale": "ja_JP", "title": "ジェム1,200個", "description": "ひと袋のジェム"},
           {"locale": "vi_VN", "title": "1.200 Đá quý", "description": "Một túi đá quý"},
           {"locale": "de_DE", "title": "1.200 Edelsteine", "description": "Ein Beutel Edelsteine"}
         ],
         "prices": {"USA": "9.99", "JPN": "1500", "VNM": "249000", "DEU": "9.99"}, "discount_prices": {},
         "grants": [{"currency": "GEM", "amount": 1200, "bonus": 0, "expires_at_cycle_end": false}],
         "item_grants": [], "entitlement": null, "period": null},
        {"code": "gems_6500", "store_ids": {"apple": "gems_6500", "google": "gems_6500"}, "type": "consumable", "active": true,
         "localizations": [
           {"locale": "en_US", "title": "6,500 Gems", "description": "A chest of gems"},
           {"locale": "ja_JP", "title": "ジェム6,500個", "description": "宝箱いっぱいのジェム"},
           {"locale": "vi_VN", "title": "6.500 Đá quý", "description": "Một rương đá quý"},
           {"locale": "de_DE", "title": "6.500 Edelsteine", "description": "Eine Truhe Edelsteine"}
         ],
         "prices": {"USA": "49.99", "JPN": "7500", "VNM": "1249000", "DEU": "49.99"}, "discount_prices": {},
         "grants": [{"currency": "GEM", "amount": 6500, "bonus": 0, "expires_at_cycle_end": false}],
         "item_grants": [], "entitlement": null, "period": null}
      ],
      "offerings": [
        {"id": "gems", "description": "Gem packs", "metadata": {}, "packages": [
          {"id": "small", "product": "gems_300"},
          {"id": "medium", "product": "gems_1200"},
          {"id": "large", "product": "gems_6500"}
        ]}
      ],
      "current_offering": "gems",
      "items": [
        {"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}, "limit": null, "available": null},
        {"id": "legendary_skin", "name": "Legendary skin", "price": {"GEM": 5000}, "limit": null, "available": null}
      ],
      "settings": {"bundle_id": "com.example.gems", "sandbox_receipts": "anybody"}
    }

    """#
}

extension Catalog {
  /// Reads a catalog file.
  ///
  /// - Throws: `LedgerError` with `invalid_catalog`, every problem listed.
  static func loadFile(_ bytes: [UInt8]) throws(LedgerError) -> Catalog {
    do throws(CatalogProblems) {
      return try load(bytes)
    } catch {
      throw error.ledgerError
    }
  }
}
