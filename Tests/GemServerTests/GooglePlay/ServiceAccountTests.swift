#if Server
import GemLedger
import SystemCrypto
import XCTest

@testable import GemServer

final class ServiceAccountTests: XCTestCase {
  private static let pem = """
    -----BEGIN PRIVATE KEY-----
    MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQCbeRVzkuBYYOLh
    vwP6SVirHHLUubXWVkb9V6CxgtykvuKvFNrq+UcqXZ2o6UqnqY8KNDfh7A32LgIC
    7+sEqfjcQPrI4Re6DYAMW3kLcgTf55pwQ3VEZDpOM1jCaULSnyTvE1rOBA4vWXMs
    LvONTwmrmF1Qcdig0mFdQVLUPhrlIWLh7U+Bhv7J80zW/2JfJuanvzgINAS9PoU8
    iEem+/oM/QTC6nex2AwkxTKLWJDab/5HdfNHH+clFayn6vHeHElZAvjVHkaTUTmk
    EQ3t7kImVE3CK2Ncon2XOtV2WZ0ljd4YB9smDpV+K58jxode4s4R1t1xCkF5KjiA
    gsGWeo37AgMBAAECggEAGu4mYRaX9bcSlbfYoIoD6d/LpD1m2fGn6ko7c4QPZBoM
    efdK1FjJkvUUUiXW4KPmOwZAh8mzwWjGwGt+chhfGwfGaPVUfs3H2Fwf43OklIQx
    pDCLJ4WU8+bBASvqf0FBzIe1uunI6zq7UHPxjBCcxDRoNX8C3xiR9O1Tw5/eWMHi
    koaEH1Pkm0OcBkweATxVbhQYCtWKRv1xygcoOEcJVuzuix58oqSMts3lNQALCIya
    AWJnOnTXczbDYeBMTICpGrRBUa2dE09OuV8Zz4owwNtLVi5WX9cYsm6UarZO5Us/
    UGa52DEuxjxzEZOJoqn+88VGJ4OWY6+qxTpiVT13gQKBgQDNOOLnxbpYZZdXySrH
    elgWzTdtjND4BzHt1rEHEmPTnILM2RBIyb9jyk7DiVJibMtwR0VmplPp7Ky3j32/
    GgXRrunI7uBuFNMpe+/W0AYQQaE8Odc93NRyspkkbOQyEIx5+NpQZckXVxVpgKpc
    tevLIAfgRtI/+UkNOdYcMChEwwKBgQDB8P/KpW2qj3jWs82nCnXmh95t9NtEWvL0
    rlgDb0Q5P3H6CDpYvGkiahluwx+eRLK/1sbQ5LgZ53JezO7F3wmIL6kQA33rPF0u
    z5kdh4lLFPUvFhebWOTDDlKEoJRpjrumP+BGwujJN0A3H/v7QMmDFcuEiz1I9TBn
    PeYGpgKeaQKBgQCjd9uuON8NSKb74x6zVG3Ug9TR62gNGVYZGHlco7ZmufWqjICf
    KizMpTqGIN1Bz11hazQJ5xVScRbHBIJqdaUK+CP6zORyax4knjdWSc96pXx0R7J+
    8Wc8kazQyfgfNPVgtuvXPKyobdJ9fmK1hKd03mfHq0IQeVZKNbaqL2X0FwKBgQCt
    YKGLq/AqNjC03/DNkBBukrBKZEdRCG2CSAnuqB25f/qIp6phga4LUgaCenVdq9SQ
    o5UBUjczETGxhks/IXEICnN9GWIMVd6H5pbfSzd1o7q86WcZPZLkvX0Pi+6hnzQq
    H5iEKeKpX3dM0I8XwodjZKyYRVH4Uxl+cludPfPBYQKBgQCg7k4lsqv17seJ7Xxm
    4/XKUjOEjKoFYI8Zep4M7JLfNwMs5SqA0T841y2uClEqTZulfqnJfO4zrhdKI4zU
    Dp6HMK3W8QASqOtsh4uDwETwntcn30KrDbHvrx+QsKAwhkZ8L0Ohd/UQ4mywi776
    ibd5em2S5oS2VHftUHV5V3uWCw==
    -----END PRIVATE KEY-----
    """

  private func file(_ changes: [(String, JSONValue?)] = []) -> [UInt8] {
    var file: JSONObject = [
      "type": "service_account", "client_email": "play@example.com", "private_key_id": "k1",
      "private_key": .string(Self.pem), "token_uri": "https://oauth2.googleapis.com/token",
    ]
    for (name, value) in changes { file[name] = value }
    return Array(JSONValue.object(file).text().utf8)
  }

  /// The expected signature was made with `openssl dgst -sha256 -sign`.
  func testSignsAsOtherImplementationsDo() throws {
    let key = try XCTUnwrap(Crypto.privateKey(pem: Array(Self.pem.utf8)))
    let signature = Crypto.serviceSignature(of: Array("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0".utf8), by: key)
    XCTAssertEqual(
      Base64URL.text(signature),
      "MgNxEsKP-TYBGjEY1i9JE-oNAwJVaESkN04-Ghta2MOKcb90uIyzgP5rqzLSsBjTx2dqAS4wyOWaSfIm-od7z4G04F_rThxjy_aY"
        + "8cUHSVpXbdv6Zc0kmwkcaeZYdZFYyVzecPX6KP7qDuXSn87_5_oABH7i12zkKNIqBoyOZEvOywp5ZLkPS_eAqQDOeGc7aUiNn_Zf"
        + "frHLsAspfrMse5FjcmCzuxHi4ZkvskVM0e0hjIhfHj3cAareS_w8XvEiZOhECg2i_P6IMYgQjn7BR1K-oMtpoV4JoaCI4Ao4Uz9d"
        + "p1a2G7t6UY2SA9HJHUTLoOa1M_gjmxM9HoePQRhRIw")
  }

  func testClaimsWhatGoogleAsksFor() throws {
    let account = try GoogleServiceAccount(json: file())
    let instant = Timestamp(milliseconds: 1_767_225_600_999)
    let parts = account.assertion(for: PlayDeveloperAPI.scope, at: instant).split(separator: ".")
    let texts = try parts.prefix(2).map {
      String(decoding: try XCTUnwrap(Base64URL.decode(Array($0.utf8))), as: UTF8.self)
    }
    XCTAssertEqual(texts[0], #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
    XCTAssertEqual(
      texts[1],
      #"{"iss":"play@example.com","scope":"https://www.googleapis.com/auth/androidpublisher","#
        + #""aud":"https://oauth2.googleapis.com/token","iat":1767225600,"exp":1767229200}"#)
  }

  func testRefusesFilesThatAreNoKeyOfAServiceAccount() throws {
    let other = Crypto.pem(of: Crypto.makeKey(.p256))
    let files: [[UInt8]] = [
      [], Array("[]".utf8), file([("type", "authorized_user")]), file([("client_email", nil)]),
      file([("private_key", nil)]), file([("private_key", "x")]), file([("private_key", .string(other))]),
      file([("token_uri", nil)]), file([("token_uri", "ftp://example.com/")]),
    ]
    for (index, file) in files.enumerated() {
      XCTAssertThrowsError(try GoogleServiceAccount(json: file), "\(index)") { error in
        XCTAssertEqual((error as? LedgerError)?.code, .configuration)
        XCTAssertFalse((error as? LedgerError)?.message.contains("BEGIN") ?? true)
      }
    }
  }
}
#endif
