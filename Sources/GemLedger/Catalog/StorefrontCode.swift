/// A country or region in which stores sell: an ISO 3166-1 alpha-3 code of the App Store's, such as `USA`.
///
/// A code exists only if the App Store has such a storefront, so region and price currency are always known.
public struct StorefrontCode: Hashable, Comparable, Sendable, CustomStringConvertible {
  // The index in the table, which is sorted by code.
  private let index: UInt8

  /// The storefront with this code, or nil if there is none.
  public init?(exactly text: String) {
    // The count of bytes is compared too: in a dictionary of strings, the Kelvin sign equals K.
    guard text.utf8.count == 3, let index = Self.table.indexes[text] else { return nil }
    self.index = index
  }

  private init(index: UInt8) { self.index = index }

  /// Every storefront, in the order of codes.
  public static var all: [StorefrontCode] { table.rows.indices.map { Self(index: UInt8($0)) } }

  /// The United States, the default.
  public static let unitedStates = Self(index: table.indexes["USA"] ?? 0)

  /// The code, such as `VNM`.
  public var description: String { row.code }

  /// The region's ISO 3166-1 alpha-2 code, such as `VN`.
  public var region: String { row.region }

  /// The currency in which the App Store sells there: the local currency if supported, else US dollars or euros.
  public var currency: PriceCurrency { row.currency }

  /// Orders storefronts by code.
  public static func < (left: Self, right: Self) -> Bool { left.index < right.index }

  private var row: Row { Self.table.rows[Int(index)] }
}

extension StorefrontCode {
  private struct Row {
    let code: String
    let region: String
    let currency: PriceCurrency
  }

  private struct Table {
    let rows: [Row]
    let indexes: [String: UInt8]

    init(_ text: [String]) {
      rows = text.flatMap(Self.rows).sorted { $0.code < $1.code }
      indexes = Dictionary(uniqueKeysWithValues: zip(rows.map(\.code), 0...))
    }

    private static func rows(_ line: String) -> [Row] {
      let words = line.split(separator: " ").map(String.init)
      let currency = PriceCurrency(unchecked: words[0])
      return words.dropFirst().map { option in
        Row(code: String(option.prefix(3)), region: String(option.suffix(2)), currency: currency)
      }
    }
  }

  /// A currency, then the storefronts that sell in it: alpha-3 and alpha-2 code.
  ///
  /// After Apple's list of regions and currencies for financial reports, of 2026 (Bulgaria in euros).
  private static let table = Table([
    "AED ARE-AE", "AUD AUS-AU", "BRL BRA-BR", "CAD CAN-CA", "CHF CHE-CH", "CLP CHL-CL", "CNY CHN-CN", "COP COL-CO",
    "CZK CZE-CZ", "DKK DNK-DK", "EGP EGY-EG", "GBP GBR-GB", "HKD HKG-HK", "HUF HUN-HU", "IDR IDN-ID", "ILS ISR-IL",
    "INR IND-IN", "JPY JPN-JP", "KRW KOR-KR", "KZT KAZ-KZ", "MXN MEX-MX", "MYR MYS-MY", "NGN NGA-NG", "NOK NOR-NO",
    "NZD NZL-NZ", "PEN PER-PE", "PHP PHL-PH", "PKR PAK-PK", "PLN POL-PL", "QAR QAT-QA", "RON ROU-RO", "RUB RUS-RU",
    "SAR SAU-SA", "SEK SWE-SE", "SGD SGP-SG", "THB THA-TH", "TRY TUR-TR", "TWD TWN-TW", "TZS TZA-TZ", "VND VNM-VN",
    "ZAR ZAF-ZA",
    "EUR AUT-AT BEL-BE BGR-BG BIH-BA CYP-CY DEU-DE ESP-ES EST-EE FIN-FI FRA-FR GRC-GR HRV-HR IRL-IE ITA-IT LTU-LT",
    "EUR LUX-LU LVA-LV MLT-MT MNE-ME NLD-NL PRT-PT SRB-RS SVK-SK SVN-SI",
    "USD AFG-AF AGO-AO AIA-AI ALB-AL ARG-AR ARM-AM ATG-AG AZE-AZ BEN-BJ BFA-BF BHR-BH BHS-BS BLR-BY BLZ-BZ BMU-BM",
    "USD BOL-BO BRB-BB BRN-BN BTN-BT BWA-BW CIV-CI CMR-CM COD-CD COG-CG CPV-CV CRI-CR CYM-KY DMA-DM DOM-DO DZA-DZ",
    "USD ECU-EC FJI-FJ FSM-FM GAB-GA GEO-GE GHA-GH GMB-GM GNB-GW GRD-GD GTM-GT GUY-GY HND-HN IRQ-IQ ISL-IS JAM-JM",
    "USD JOR-JO KEN-KE KGZ-KG KHM-KH KNA-KN KWT-KW LAO-LA LBN-LB LBR-LR LBY-LY LCA-LC LKA-LK MAC-MO MAR-MA MDA-MD",
    "USD MDG-MG MDV-MV MKD-MK MLI-ML MMR-MM MNG-MN MOZ-MZ MRT-MR MSR-MS MUS-MU MWI-MW NAM-NA NER-NE NIC-NI NPL-NP",
    "USD NRU-NR OMN-OM PAN-PA PLW-PW PNG-PG PRY-PY RWA-RW SEN-SN SLB-SB SLE-SL SLV-SV STP-ST SUR-SR SWZ-SZ SYC-SC",
    "USD TCA-TC TCD-TD TJK-TJ TKM-TM TON-TO TTO-TT TUN-TN UGA-UG UKR-UA URY-UY USA-US UZB-UZ VCT-VC VEN-VE VGB-VG",
    "USD VUT-VU XKS-XK YEM-YE ZMB-ZM ZWE-ZW",
  ])
}
