-- A ledger as the version before the evidence of stores left it; see EarlierStory.
PRAGMA application_id = 1195724108;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations (
  name TEXT PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO migrations VALUES('0001-create-ledger',1767225600000);
CREATE TABLE project (
  project INTEGER PRIMARY KEY CHECK (project = 1),
  salt INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO project VALUES(1,1,1767225600000);
CREATE TABLE catalog (
  kind INTEGER NOT NULL,
  code TEXT NOT NULL,
  position INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (kind, code)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog VALUES(1,'COIN',2,'{"code":"COIN","name":"Coins","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(1,'GEM',1,'{"code":"GEM","name":"Gems","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(1,'ORE',3,'{"code":"ORE","name":"Ore","description":null,"icon":null,"maximum_balance":1000,"burn_order":"free_first","refund_policy":"freeze","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(1,'RUBY',4,'{"code":"RUBY","name":"Rubies","description":null,"icon":null,"maximum_balance":null,"burn_order":"paid_first","refund_policy":"debt","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(2,'bundle',3,'{"code":"bundle","store_ids":{"apple":"bundle"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":500,"bonus":0,"expires_at_cycle_end":false},{"currency":"COIN","amount":300,"bonus":30,"expires_at_cycle_end":false}],"item_grants":[{"item":"sword","quantity":2}],"entitlement":null,"period":null}');
INSERT INTO catalog VALUES(2,'chest',4,'{"code":"chest","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[],"item_grants":[{"item":"sword","quantity":1},{"item":"extra_life","quantity":2}],"entitlement":null,"period":null}');
INSERT INTO catalog VALUES(2,'club',5,'{"code":"club","store_ids":{},"type":"auto_renewable_subscription","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":100,"bonus":0,"expires_at_cycle_end":true}],"item_grants":[],"entitlement":"club","period":"P1M"}');
INSERT INTO catalog VALUES(2,'gems',0,'{"code":"gems","store_ids":{"amazon":"gems","apple":"gems","google":"gems","test":"gems"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":1200,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO catalog VALUES(2,'ore_pack',2,'{"code":"ore_pack","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"ORE","amount":900,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO catalog VALUES(2,'rubies',1,'{"code":"rubies","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"RUBY","amount":100,"bonus":20,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO catalog VALUES(4,'extra_life',0,'{"id":"extra_life","name":"Extra life","price":{"GEM":50},"limit":null,"limit_per":null,"stock":null,"available":null}');
INSERT INTO catalog VALUES(4,'sword',1,'{"id":"sword","name":"Sword","price":{"COIN":10,"GEM":100},"limit":null,"limit_per":null,"stock":null,"available":null}');
INSERT INTO catalog VALUES(5,'former_products_since',2,'-9223372036854775808');
INSERT INTO catalog VALUES(5,'settings',0,'{"project_id":"default","bundle_id":"com.example.gems","sandbox_receipts":"anybody"}');
INSERT INTO catalog VALUES(6,'COIN@1767225600000',1767225600000,'{"code":"COIN","name":"Coins","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(6,'GEM@1767225600000',1767225600000,'{"code":"GEM","name":"Gems","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(6,'ORE@1767225600000',1767225600000,'{"code":"ORE","name":"Ore","description":null,"icon":null,"maximum_balance":1000,"burn_order":"free_first","refund_policy":"freeze","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
INSERT INTO catalog VALUES(6,'RUBY@1767225600000',1767225600000,'{"code":"RUBY","name":"Rubies","description":null,"icon":null,"maximum_balance":null,"burn_order":"paid_first","refund_policy":"debt","initial_balance":null,"recharge":null,"allowance":null,"limits":null}');
CREATE TABLE catalog_versions (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;
INSERT INTO catalog_versions VALUES(1,1767225600000);
CREATE TABLE environments (
  environment INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  session TEXT
) STRICT;
INSERT INTO environments VALUES(16,4,'earlier');
CREATE TABLE documents (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version > 0),
  content TEXT NOT NULL
) STRICT;
CREATE TABLE customers (
  customer INTEGER PRIMARY KEY,
  id TEXT,
  created_at INTEGER NOT NULL,
  frozen INTEGER NOT NULL DEFAULT 0,
  frozen_reason TEXT,
  merged_into INTEGER NOT NULL DEFAULT 0,
  merged_count INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO customers VALUES(1,'alice',1767225600000,0,NULL,0,1);
INSERT INTO customers VALUES(2,'bob',1767225613000,2,'A refunded purchase was spent already.',0,0);
INSERT INTO customers VALUES(3,'$erased:0867f3c78e106ce1',1767225617000,1,NULL,0,0);
INSERT INTO customers VALUES(4,'erin',1767225618000,0,NULL,1,0);
INSERT INTO customers VALUES(5,'frank',1767225621000,0,NULL,0,0);
INSERT INTO customers VALUES(6,'carol',1767225629000,0,NULL,0,0);
CREATE TABLE aliases (
  id TEXT PRIMARY KEY,
  customer INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO aliases VALUES('alice',1);
INSERT INTO aliases VALUES('bob',2);
INSERT INTO aliases VALUES('carol',6);
INSERT INTO aliases VALUES('erin',4);
INSERT INTO aliases VALUES('frank',5);
CREATE TABLE added_ids (
  customer INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE account_tokens (
  high INTEGER NOT NULL,
  low INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  PRIMARY KEY (high, low)
) STRICT, WITHOUT ROWID;
INSERT INTO account_tokens VALUES(1,2,1);
CREATE TABLE erasures (
  customer INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  PRIMARY KEY (customer, transaction_number)
) STRICT, WITHOUT ROWID;
INSERT INTO erasures VALUES(3,58);
CREATE TABLE copy_progress (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  step INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  source INTEGER NOT NULL
) STRICT;
CREATE TABLE copied_journal (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last_transaction INTEGER NOT NULL,
  transactions INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE record_sums (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  transactions INTEGER NOT NULL,
  customers INTEGER NOT NULL,
  added_ids INTEGER NOT NULL,
  account_tokens INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  environments INTEGER NOT NULL,
  catalog_versions INTEGER NOT NULL,
  catalog INTEGER NOT NULL
) STRICT;
INSERT INTO record_sums VALUES(1,-7676623844529353873,808483095061155892,0,4309536062022975453,-6352531086220130466,1299377621102938813,-2707830929555974290,7498368459678212182);
CREATE TABLE transactions (
  number INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_entry INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  erasable_digest INTEGER
) STRICT;
INSERT INTO transactions VALUES(1,1,1,1767225607000,1,1296351724797774750,NULL);
INSERT INTO transactions VALUES(2,1,1,1767225608000,2,-6196857374299478035,NULL);
INSERT INTO transactions VALUES(3,1,1,1767225609000,3,-563397259292173180,NULL);
INSERT INTO transactions VALUES(4,1,1,1767225610000,4,-1486150334829696305,NULL);
INSERT INTO transactions VALUES(5,1,1,1767225611000,5,5534188307820102098,NULL);
INSERT INTO transactions VALUES(6,1,1,1767225612000,7,6767170209802350449,NULL);
INSERT INTO transactions VALUES(7,5,1,1767225612000,8,-966524863055320416,NULL);
INSERT INTO transactions VALUES(8,1,2,1767225613000,9,2681028517041739856,NULL);
INSERT INTO transactions VALUES(9,1,2,1767225614000,10,-2084935645873555003,NULL);
INSERT INTO transactions VALUES(10,1,2,1767225615000,11,4772798259566777205,NULL);
INSERT INTO transactions VALUES(11,1,2,1767225616000,12,1682987913743847896,NULL);
INSERT INTO transactions VALUES(12,1,3,1767225617000,13,-658977660322607256,NULL);
INSERT INTO transactions VALUES(13,1,4,1767225618000,14,8278900034785021118,NULL);
INSERT INTO transactions VALUES(14,1,4,1767225619000,15,4300719192190076362,NULL);
INSERT INTO transactions VALUES(15,1,4,1767225620000,17,-7513086423099825067,NULL);
INSERT INTO transactions VALUES(16,1,5,1767225621000,18,8534271518089220878,NULL);
INSERT INTO transactions VALUES(17,1,5,1767225622000,19,-3007358016284638971,NULL);
INSERT INTO transactions VALUES(18,1,5,1767225623000,20,2495781604764541876,NULL);
INSERT INTO transactions VALUES(19,1,5,1767225624000,21,-8811976949609083500,NULL);
INSERT INTO transactions VALUES(20,1,5,1767225625000,22,-2979012655935525515,NULL);
INSERT INTO transactions VALUES(21,1,5,1767225626000,23,-3968540651759244746,NULL);
INSERT INTO transactions VALUES(22,1,5,1767225627000,24,5246764630378112149,NULL);
INSERT INTO transactions VALUES(23,1,3,1767225628000,24,-2682288768688681823,NULL);
INSERT INTO transactions VALUES(24,1,6,1767225629000,25,4550311378678039878,NULL);
INSERT INTO transactions VALUES(25,1,6,1767225630000,26,9063605507784288232,NULL);
INSERT INTO transactions VALUES(26,1,6,1767225631000,27,560380537149930543,NULL);
INSERT INTO transactions VALUES(27,1,6,1767225632000,28,488069046711092700,NULL);
INSERT INTO transactions VALUES(28,1,1,1767225633000,29,4547685426966619648,NULL);
INSERT INTO transactions VALUES(29,3,1,1767225633000,30,5070035715109743668,4914901919354021772);
INSERT INTO transactions VALUES(30,3,2,1767225633000,31,3033615171229329936,NULL);
INSERT INTO transactions VALUES(31,3,1,1767225633000,33,7283110143664092283,-3921071503369574028);
INSERT INTO transactions VALUES(32,3,5,1767225633000,35,5737304559408421314,NULL);
INSERT INTO transactions VALUES(33,16,5,1767225633000,36,-3014680317932928965,NULL);
INSERT INTO transactions VALUES(34,2,2,1767225633000,36,-593586680336886069,NULL);
INSERT INTO transactions VALUES(35,10,1,1767225633000,37,8482008857547078388,NULL);
INSERT INTO transactions VALUES(36,5,1,1767225634000,41,-8140318947667374099,NULL);
INSERT INTO transactions VALUES(37,5,1,1767225635000,42,3092366667789191581,NULL);
INSERT INTO transactions VALUES(38,5,2,1767225636000,44,-7458895953632680311,NULL);
INSERT INTO transactions VALUES(39,5,2,1767225637000,45,-3696520473457149841,NULL);
INSERT INTO transactions VALUES(40,5,1,1767225638000,46,1640613025834864871,NULL);
INSERT INTO transactions VALUES(41,5,3,1767225639000,47,-8921844038949976082,NULL);
INSERT INTO transactions VALUES(42,5,1,1767225640000,48,3537282779528408728,NULL);
INSERT INTO transactions VALUES(43,5,5,1767225641000,49,-1983788777469171604,NULL);
INSERT INTO transactions VALUES(44,6,5,1767225642000,50,-5296016511763437627,NULL);
INSERT INTO transactions VALUES(45,5,5,1767225643000,51,-5987347068927642949,NULL);
INSERT INTO transactions VALUES(46,6,5,1767225644000,52,-8873417718575248391,NULL);
INSERT INTO transactions VALUES(47,5,5,1767225645000,53,4000909695266708699,NULL);
INSERT INTO transactions VALUES(48,5,5,1767225646000,54,-3137870223255182623,NULL);
INSERT INTO transactions VALUES(49,5,5,1767225647000,55,-6647772986717645964,NULL);
INSERT INTO transactions VALUES(50,5,5,1767225648000,56,-6975913252696556086,NULL);
INSERT INTO transactions VALUES(51,5,5,1767225649000,57,-3375475048639269420,NULL);
INSERT INTO transactions VALUES(52,5,5,1767225650000,58,-6109225331954329492,NULL);
INSERT INTO transactions VALUES(53,6,5,1767225651000,59,-272696091096046529,NULL);
INSERT INTO transactions VALUES(54,5,5,1767225652000,60,-1933757383461123110,NULL);
INSERT INTO transactions VALUES(55,5,5,1767225653000,61,-7132394052302014825,NULL);
INSERT INTO transactions VALUES(56,5,6,1767225654000,61,6647965549788693370,NULL);
INSERT INTO transactions VALUES(57,5,1,1767225655000,62,-4536365794976254375,NULL);
INSERT INTO transactions VALUES(58,20,3,1767225658000,63,-7480776286578184127,NULL);
INSERT INTO transactions VALUES(59,3,5,1767229258000,63,-2961824350236041659,NULL);
CREATE TABLE entries (
  number INTEGER PRIMARY KEY,
  transaction_number INTEGER NOT NULL,
  account INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  debt INTEGER NOT NULL CHECK (debt >= 0),
  version INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  lot INTEGER NOT NULL
) STRICT;
INSERT INTO entries VALUES(1,1,1025,1,1200,1200,0,1,0,1);
INSERT INTO entries VALUES(2,2,1025,1,1200,2400,0,2,1,2);
INSERT INTO entries VALUES(3,3,1025,1,3600,6000,0,3,2,3);
INSERT INTO entries VALUES(4,4,1025,1,4800,10800,0,4,3,4);
INSERT INTO entries VALUES(5,5,1026,1,330,330,0,1,0,0);
INSERT INTO entries VALUES(6,5,1025,1,500,11300,0,5,4,7);
INSERT INTO entries VALUES(7,6,1025,1,1200,12500,0,6,6,8);
INSERT INTO entries VALUES(8,7,1025,5,-1200,11300,0,7,7,8);
INSERT INTO entries VALUES(9,8,2052,1,120,120,0,1,0,0);
INSERT INTO entries VALUES(10,9,2051,1,900,900,0,1,0,11);
INSERT INTO entries VALUES(11,10,2049,1,1200,1200,0,1,0,12);
INSERT INTO entries VALUES(12,11,2049,1,1200,2400,0,2,11,13);
INSERT INTO entries VALUES(13,12,3073,1,1200,1200,0,1,0,14);
INSERT INTO entries VALUES(14,13,4097,1,1200,1200,0,1,0,15);
INSERT INTO entries VALUES(15,14,4098,1,330,330,0,1,0,0);
INSERT INTO entries VALUES(16,14,4097,1,500,1700,0,2,14,18);
INSERT INTO entries VALUES(17,15,4097,1,1200,2900,0,3,16,19);
INSERT INTO entries VALUES(18,16,5121,1,1200,1200,0,1,0,20);
INSERT INTO entries VALUES(19,17,5121,1,1200,2400,0,2,18,21);
INSERT INTO entries VALUES(20,18,5121,1,1200,3600,0,3,19,22);
INSERT INTO entries VALUES(21,19,5121,1,4800,8400,0,4,20,23);
INSERT INTO entries VALUES(22,20,5121,1,4800,13200,0,5,21,24);
INSERT INTO entries VALUES(23,21,5121,1,1200,14400,0,6,22,25);
INSERT INTO entries VALUES(24,23,3073,1,1200,2400,0,2,13,26);
INSERT INTO entries VALUES(25,24,6145,1,100,100,0,1,0,27);
INSERT INTO entries VALUES(26,25,6145,1,100,200,0,2,25,28);
INSERT INTO entries VALUES(27,26,6145,1,100,300,0,3,26,29);
INSERT INTO entries VALUES(28,27,6145,1,100,400,0,4,27,30);
INSERT INTO entries VALUES(29,28,1025,1,1200,12500,0,8,8,31);
INSERT INTO entries VALUES(30,29,1025,3,-2500,10000,0,9,29,0);
INSERT INTO entries VALUES(31,30,2051,3,-850,50,0,2,10,11);
INSERT INTO entries VALUES(32,30,2052,3,-90,30,0,2,9,9);
INSERT INTO entries VALUES(33,31,1026,3,-10,320,0,2,5,6);
INSERT INTO entries VALUES(34,31,1025,3,-100,9900,0,10,30,3);
INSERT INTO entries VALUES(35,32,5121,3,-50,14350,0,7,23,20);
INSERT INTO entries VALUES(36,34,2050,2,75,75,0,1,0,32);
INSERT INTO entries VALUES(37,35,4098,10,-330,0,0,2,15,0);
INSERT INTO entries VALUES(38,35,1026,10,330,650,0,3,33,0);
INSERT INTO entries VALUES(39,35,4097,10,-2900,0,0,4,17,0);
INSERT INTO entries VALUES(40,35,1025,10,2900,12800,0,11,34,0);
INSERT INTO entries VALUES(41,36,1025,5,-1200,11600,0,12,40,3);
INSERT INTO entries VALUES(42,37,1026,5,-330,320,0,4,38,0);
INSERT INTO entries VALUES(43,37,1025,5,-500,11100,0,13,41,7);
INSERT INTO entries VALUES(44,38,2052,5,-120,0,90,3,32,0);
INSERT INTO entries VALUES(45,39,2051,5,-50,0,0,3,31,11);
INSERT INTO entries VALUES(46,40,1025,5,-400,10700,0,14,43,15);
INSERT INTO entries VALUES(47,41,3073,5,-1200,1200,0,3,24,14);
INSERT INTO entries VALUES(48,42,1025,5,-1200,9500,0,15,46,19);
INSERT INTO entries VALUES(49,43,5121,5,-1200,13150,0,8,35,0);
INSERT INTO entries VALUES(50,44,5121,6,1200,14350,0,9,49,0);
INSERT INTO entries VALUES(51,45,5121,5,-1200,13150,0,10,50,21);
INSERT INTO entries VALUES(52,46,5121,6,1200,14350,0,11,51,21);
INSERT INTO entries VALUES(53,47,5121,5,-300,14050,0,12,52,22);
INSERT INTO entries VALUES(54,48,5121,5,-300,13750,0,13,53,22);
INSERT INTO entries VALUES(55,49,5121,5,-1200,12550,0,14,54,23);
INSERT INTO entries VALUES(56,50,5121,5,-1200,11350,0,15,55,23);
INSERT INTO entries VALUES(57,51,5121,5,-2400,8950,0,16,56,24);
INSERT INTO entries VALUES(58,52,5121,5,-1200,7750,0,17,57,25);
INSERT INTO entries VALUES(59,53,5121,6,1200,8950,0,18,58,25);
INSERT INTO entries VALUES(60,54,5121,5,-120,8830,0,19,59,25);
INSERT INTO entries VALUES(61,56,6145,5,-100,300,0,5,28,28);
INSERT INTO entries VALUES(62,57,1025,5,-1200,8300,0,16,48,31);
INSERT INTO entries VALUES(63,59,5121,3,-100,8730,0,20,60,20);
CREATE TABLE allocations (
  entry INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (entry, position)
) STRICT, WITHOUT ROWID;
INSERT INTO allocations VALUES(5,1,5,300);
INSERT INTO allocations VALUES(5,2,6,30);
INSERT INTO allocations VALUES(9,1,9,100);
INSERT INTO allocations VALUES(9,2,10,20);
INSERT INTO allocations VALUES(15,1,16,300);
INSERT INTO allocations VALUES(15,2,17,30);
INSERT INTO allocations VALUES(30,1,1,-1200);
INSERT INTO allocations VALUES(30,2,2,-1200);
INSERT INTO allocations VALUES(30,3,3,-100);
INSERT INTO allocations VALUES(37,1,16,-300);
INSERT INTO allocations VALUES(37,2,17,-30);
INSERT INTO allocations VALUES(38,1,16,300);
INSERT INTO allocations VALUES(38,2,17,30);
INSERT INTO allocations VALUES(39,1,15,-1200);
INSERT INTO allocations VALUES(39,2,18,-500);
INSERT INTO allocations VALUES(39,3,19,-1200);
INSERT INTO allocations VALUES(40,1,15,1200);
INSERT INTO allocations VALUES(40,2,18,500);
INSERT INTO allocations VALUES(40,3,19,1200);
INSERT INTO allocations VALUES(42,1,5,-300);
INSERT INTO allocations VALUES(42,2,6,-20);
INSERT INTO allocations VALUES(42,3,17,-10);
INSERT INTO allocations VALUES(44,1,9,-10);
INSERT INTO allocations VALUES(44,2,10,-20);
INSERT INTO allocations VALUES(49,1,20,-1110);
INSERT INTO allocations VALUES(49,2,21,-90);
INSERT INTO allocations VALUES(50,1,21,90);
INSERT INTO allocations VALUES(50,2,20,1110);
CREATE TABLE keys (
  key ANY NOT NULL,
  customer INTEGER NOT NULL,
  request_digest INTEGER NOT NULL,
  qualifier_digest INTEGER NOT NULL,
  transaction_number INTEGER,
  refusal TEXT,
  PRIMARY KEY (key, customer)
) STRICT, WITHOUT ROWID;
INSERT INTO keys VALUES('spend-1',1,-7219129446254251654,0,29,NULL);
INSERT INTO keys VALUES('sword-1',1,1843876837957042177,0,31,NULL);
CREATE TABLE notes (
  transaction_number INTEGER PRIMARY KEY,
  reference TEXT,
  reason TEXT,
  actor TEXT
) STRICT;
CREATE TABLE frozen_products (
  frozen_product INTEGER PRIMARY KEY,
  document TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO frozen_products VALUES(1,'{"code":"gems","store_ids":{"amazon":"gems","apple":"gems","google":"gems","test":"gems"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":1200,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO frozen_products VALUES(2,'{"code":"bundle","store_ids":{"apple":"bundle"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":500,"bonus":0,"expires_at_cycle_end":false},{"currency":"COIN","amount":300,"bonus":30,"expires_at_cycle_end":false}],"item_grants":[{"item":"sword","quantity":2}],"entitlement":null,"period":null}');
INSERT INTO frozen_products VALUES(3,'{"code":"rubies","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"RUBY","amount":100,"bonus":20,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO frozen_products VALUES(4,'{"code":"ore_pack","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"ORE","amount":900,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}');
INSERT INTO frozen_products VALUES(5,'{"code":"chest","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[],"item_grants":[{"item":"sword","quantity":1},{"item":"extra_life","quantity":2}],"entitlement":null,"period":null}');
INSERT INTO frozen_products VALUES(6,'{"code":"club","store_ids":{},"type":"auto_renewable_subscription","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":100,"bonus":0,"expires_at_cycle_end":true}],"item_grants":[],"entitlement":"club","period":"P1M"}');
CREATE TABLE purchases (
  purchase INTEGER PRIMARY KEY,
  store INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  store_transaction TEXT NOT NULL,
  customer INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  product TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  price INTEGER,
  price_currency TEXT,
  purchased_at INTEGER NOT NULL,
  frozen_product INTEGER NOT NULL,
  original_transaction TEXT,
  expires_at INTEGER,
  grant_currency INTEGER,
  grant_lot INTEGER,
  grant_amount INTEGER,
  UNIQUE (store_transaction, environment, store)
) STRICT;
INSERT INTO purchases VALUES(1,1,1,'a1',1,1,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,1,1200);
INSERT INTO purchases VALUES(2,1,2,'a2',1,2,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,2,1200);
INSERT INTO purchases VALUES(3,1,16,'a3',1,3,'gems',3,2997,'USD',1767225600000,1,NULL,NULL,1,3,3600);
INSERT INTO purchases VALUES(4,2,1,'g1',1,4,'gems',4,3996,'USD',1767225600000,1,NULL,NULL,1,4,4800);
INSERT INTO purchases VALUES(5,1,1,'b1',1,5,'bundle',1,999,'USD',1767225600000,2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO purchases VALUES(6,1,1,'early',1,6,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,8,1200);
INSERT INTO purchases VALUES(7,1,1,'r1',2,8,'rubies',1,999,'USD',1767225600000,3,NULL,NULL,NULL,NULL,NULL);
INSERT INTO purchases VALUES(8,1,1,'o1',2,9,'ore_pack',1,999,'USD',1767225600000,4,NULL,NULL,3,11,900);
INSERT INTO purchases VALUES(9,3,1,'m1',2,10,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,12,1200);
INSERT INTO purchases VALUES(10,4,16,'t1',2,11,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,13,1200);
INSERT INTO purchases VALUES(11,1,1,'d1',3,12,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,14,1200);
INSERT INTO purchases VALUES(12,1,1,'e1',4,13,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,15,1200);
INSERT INTO purchases VALUES(13,1,16,'e2',4,14,'bundle',1,999,'USD',1767225600000,2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO purchases VALUES(14,1,16,'x2',4,15,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,19,1200);
INSERT INTO purchases VALUES(15,1,1,'f1',5,16,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,20,1200);
INSERT INTO purchases VALUES(16,1,1,'f2',5,17,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,21,1200);
INSERT INTO purchases VALUES(17,1,1,'f3',5,18,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,22,1200);
INSERT INTO purchases VALUES(18,2,1,'f4',5,19,'gems',4,3996,'USD',1767225600000,1,NULL,NULL,1,23,4800);
INSERT INTO purchases VALUES(19,2,1,'f5',5,20,'gems',4,3996,'USD',1767225600000,1,NULL,NULL,1,24,4800);
INSERT INTO purchases VALUES(20,1,1,'f6',5,21,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,25,1200);
INSERT INTO purchases VALUES(21,1,1,'f7',5,22,'chest',1,999,'USD',1767225600000,5,NULL,NULL,NULL,NULL,NULL);
INSERT INTO purchases VALUES(22,1,16,'d2',3,23,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,26,1200);
INSERT INTO purchases VALUES(23,1,1,'s1',6,24,'club',1,999,'USD',1767225600000,6,NULL,1769817600000,1,27,100);
INSERT INTO purchases VALUES(24,1,1,'s2',6,25,'club',1,999,'USD',1767225600000,6,'s1',1769817600000,1,28,100);
INSERT INTO purchases VALUES(25,1,1,'s3',6,26,'club',1,999,'USD',1767225600000,6,'s1',1769817600000,1,29,100);
INSERT INTO purchases VALUES(26,2,1,'token/GPA.1',6,27,'club',1,999,'USD',1767225600000,6,NULL,1769817600000,1,30,100);
INSERT INTO purchases VALUES(27,1,1,'paid',1,28,'gems',1,999,'USD',1767225600000,1,NULL,NULL,1,31,1200);
CREATE TABLE item_entries (
  transaction_number INTEGER NOT NULL,
  item TEXT NOT NULL,
  customer INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity <> 0),
  owned INTEGER NOT NULL CHECK (owned >= 0),
  PRIMARY KEY (transaction_number, item, customer)
) STRICT, WITHOUT ROWID;
INSERT INTO item_entries VALUES(5,'sword',1,2,2);
INSERT INTO item_entries VALUES(14,'sword',4,2,2);
INSERT INTO item_entries VALUES(22,'extra_life',5,2,2);
INSERT INTO item_entries VALUES(22,'sword',5,1,1);
INSERT INTO item_entries VALUES(31,'sword',1,1,3);
INSERT INTO item_entries VALUES(32,'extra_life',5,1,3);
INSERT INTO item_entries VALUES(35,'sword',1,2,5);
INSERT INTO item_entries VALUES(35,'sword',4,-2,0);
INSERT INTO item_entries VALUES(37,'sword',1,-2,3);
INSERT INTO item_entries VALUES(55,'extra_life',5,-1,2);
CREATE TABLE merges (
  transaction_number INTEGER PRIMARY KEY,
  from_customer INTEGER NOT NULL,
  into_customer INTEGER NOT NULL
) STRICT;
INSERT INTO merges VALUES(35,4,1);
CREATE TABLE lot_attributes (
  lot INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  price INTEGER,
  price_currency TEXT,
  purchase INTEGER,
  expires_at INTEGER NOT NULL,
  original_lot INTEGER NOT NULL
) STRICT;
INSERT INTO lot_attributes VALUES(1,1,1,999,'USD',1,253402300799999,0);
INSERT INTO lot_attributes VALUES(2,1,2,999,'USD',2,253402300799999,0);
INSERT INTO lot_attributes VALUES(3,1,16,2997,'USD',3,253402300799999,0);
INSERT INTO lot_attributes VALUES(4,1,1,3996,'USD',4,253402300799999,0);
INSERT INTO lot_attributes VALUES(5,1,1,499,'USD',5,253402300799999,0);
INSERT INTO lot_attributes VALUES(6,2,1,NULL,NULL,5,253402300799999,0);
INSERT INTO lot_attributes VALUES(7,1,1,500,'USD',5,253402300799999,0);
INSERT INTO lot_attributes VALUES(8,1,1,999,'USD',6,253402300799999,0);
INSERT INTO lot_attributes VALUES(9,1,1,999,'USD',7,253402300799999,0);
INSERT INTO lot_attributes VALUES(10,2,1,NULL,NULL,7,253402300799999,0);
INSERT INTO lot_attributes VALUES(11,1,1,999,'USD',8,253402300799999,0);
INSERT INTO lot_attributes VALUES(12,1,1,999,'USD',9,253402300799999,0);
INSERT INTO lot_attributes VALUES(13,1,16,999,'USD',10,253402300799999,0);
INSERT INTO lot_attributes VALUES(14,1,1,999,'USD',11,253402300799999,0);
INSERT INTO lot_attributes VALUES(15,1,1,999,'USD',12,253402300799999,0);
INSERT INTO lot_attributes VALUES(16,1,16,499,'USD',13,253402300799999,0);
INSERT INTO lot_attributes VALUES(17,2,16,NULL,NULL,13,253402300799999,0);
INSERT INTO lot_attributes VALUES(18,1,16,500,'USD',13,253402300799999,0);
INSERT INTO lot_attributes VALUES(19,1,16,999,'USD',14,253402300799999,0);
INSERT INTO lot_attributes VALUES(20,1,1,999,'USD',15,253402300799999,0);
INSERT INTO lot_attributes VALUES(21,1,1,999,'USD',16,253402300799999,0);
INSERT INTO lot_attributes VALUES(22,1,1,999,'USD',17,253402300799999,0);
INSERT INTO lot_attributes VALUES(23,1,1,3996,'USD',18,253402300799999,0);
INSERT INTO lot_attributes VALUES(24,1,1,3996,'USD',19,253402300799999,0);
INSERT INTO lot_attributes VALUES(25,1,1,999,'USD',20,253402300799999,0);
INSERT INTO lot_attributes VALUES(26,1,16,999,'USD',22,253402300799999,0);
INSERT INTO lot_attributes VALUES(27,1,1,999,'USD',23,1769817600000,0);
INSERT INTO lot_attributes VALUES(28,1,1,999,'USD',24,1769817600000,0);
INSERT INTO lot_attributes VALUES(29,1,1,999,'USD',25,1769817600000,0);
INSERT INTO lot_attributes VALUES(30,1,1,999,'USD',26,1769817600000,0);
INSERT INTO lot_attributes VALUES(31,1,1,999,'USD',27,253402300799999,0);
INSERT INTO lot_attributes VALUES(32,4,1,NULL,NULL,NULL,253402300799999,0);
CREATE TABLE refunds (
  transaction_number INTEGER PRIMARY KEY,
  purchase INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL,
  signed_at INTEGER NOT NULL,
  share INTEGER NOT NULL,
  share_of INTEGER NOT NULL,
  freezes INTEGER NOT NULL,
  evidence_at INTEGER,
  extent_kind INTEGER,
  extent INTEGER,
  lot INTEGER,
  part_kind INTEGER,
  source_lot INTEGER,
  amount INTEGER
) STRICT;
INSERT INTO refunds VALUES(7,6,1,1767225700000,1767225700000,1,1,0,NULL,1,0,8,1,8,1200);
INSERT INTO refunds VALUES(36,2,1,1767225700000,1767225700000,1,1,0,NULL,1,0,2,1,3,1200);
INSERT INTO refunds VALUES(37,5,1,1767225700000,1767225700000,1,1,0,NULL,1,0,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(38,7,1,1767225700000,1767225700000,1,1,0,NULL,1,0,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(39,8,1,1767225700000,1767225700000,1,1,1,NULL,1,0,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(40,12,1,1767225700000,1767225700000,33333,100000,0,NULL,2,33333,15,1,15,400);
INSERT INTO refunds VALUES(41,11,1,1767225700000,1767225700000,1,1,0,NULL,1,0,14,1,14,1200);
INSERT INTO refunds VALUES(42,14,1,1767225700000,1767225700000,1,1,0,NULL,1,0,19,1,19,1200);
INSERT INTO refunds VALUES(43,15,1,1767225700000,1767225700000,1,1,0,NULL,1,0,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(44,15,2,1767225700000,1767225800000,0,1,0,NULL,1,0,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(45,16,1,1767225700000,1767225700000,1,1,0,NULL,1,0,21,1,21,1200);
INSERT INTO refunds VALUES(46,16,3,0,1767225800000,0,1,0,NULL,1,0,21,1,21,-1200);
INSERT INTO refunds VALUES(47,17,1,1767225700000,1767225700000,1,4,0,NULL,2,25000,22,1,22,300);
INSERT INTO refunds VALUES(48,17,1,1767225750000,1767225750000,1,2,0,NULL,2,50000,22,1,22,300);
INSERT INTO refunds VALUES(49,18,1,1767225700000,1767225700000,1,4,0,NULL,4,1,23,1,23,1200);
INSERT INTO refunds VALUES(50,18,1,1767225720000,1767225720000,1,2,0,NULL,4,1,23,1,23,1200);
INSERT INTO refunds VALUES(51,19,1,1767225700000,1767225700000,1,2,0,NULL,3,2,24,1,24,2400);
INSERT INTO refunds VALUES(52,20,1,1767225700000,1767225700000,1,1,0,NULL,1,0,25,1,25,1200);
INSERT INTO refunds VALUES(53,20,2,1767225700000,1767225800000,0,1,0,NULL,1,0,25,1,25,-1200);
INSERT INTO refunds VALUES(54,20,1,1767225900000,1767225900000,1,10,0,NULL,2,10000,25,1,25,120);
INSERT INTO refunds VALUES(55,21,1,1767225700000,1767225700000,1,2,0,NULL,2,50000,NULL,NULL,NULL,NULL);
INSERT INTO refunds VALUES(56,24,1,1767225700000,1767225700000,1,1,0,NULL,1,0,28,1,28,100);
INSERT INTO refunds VALUES(57,27,1,1767225700000,1767225700000,1,1,0,NULL,1,0,31,1,31,1200);
CREATE TABLE refund_parts (
  transaction_number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  source_lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (transaction_number, position)
) STRICT, WITHOUT ROWID;
INSERT INTO refund_parts VALUES(37,1,5,1,5,300);
INSERT INTO refund_parts VALUES(37,2,6,1,6,20);
INSERT INTO refund_parts VALUES(37,3,6,1,17,10);
INSERT INTO refund_parts VALUES(37,4,7,1,7,500);
INSERT INTO refund_parts VALUES(38,1,9,1,9,10);
INSERT INTO refund_parts VALUES(38,2,10,1,10,20);
INSERT INTO refund_parts VALUES(38,3,9,2,0,90);
INSERT INTO refund_parts VALUES(39,1,11,1,11,50);
INSERT INTO refund_parts VALUES(39,2,11,3,0,850);
INSERT INTO refund_parts VALUES(43,1,20,1,20,1110);
INSERT INTO refund_parts VALUES(43,2,20,1,21,90);
INSERT INTO refund_parts VALUES(44,1,20,1,21,-90);
INSERT INTO refund_parts VALUES(44,2,20,1,20,-1110);
CREATE TABLE journal_events (
  transaction_number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  target INTEGER NOT NULL,
  currency INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  value INTEGER NOT NULL,
  counter_kind INTEGER,
  subject TEXT,
  period INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  held_after INTEGER NOT NULL CHECK (held_after >= 0),
  PRIMARY KEY (transaction_number, position),
  CHECK ((counter_kind IS NULL) = (subject IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO journal_events VALUES(33,1,5,3,33,1,20,40,1767312033000,NULL,NULL,0,1767225633000,40);
CREATE TABLE accounts (
  account INTEGER PRIMARY KEY,
  balance INTEGER NOT NULL CHECK (balance >= 0),
  debt INTEGER NOT NULL CHECK (debt >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  version INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,
  pool_lot INTEGER NOT NULL,
  pool_source INTEGER NOT NULL,
  pool_environment INTEGER NOT NULL,
  pool_granted INTEGER NOT NULL,
  pool_remaining INTEGER NOT NULL CHECK (pool_remaining >= 0),
  open_lots INTEGER NOT NULL,
  next_expiry INTEGER,
  next_scheduled_at INTEGER
) STRICT;
INSERT INTO accounts VALUES(1025,8300,0,0,16,62,0,0,0,0,0,4,NULL,NULL);
INSERT INTO accounts VALUES(1026,320,0,0,4,42,0,0,0,0,0,2,NULL,NULL);
INSERT INTO accounts VALUES(2049,2400,0,0,2,12,0,0,0,0,0,2,NULL,NULL);
INSERT INTO accounts VALUES(2050,75,0,0,1,36,32,4,1,75,75,0,NULL,NULL);
INSERT INTO accounts VALUES(2051,0,0,0,3,45,0,0,0,0,0,0,NULL,NULL);
INSERT INTO accounts VALUES(2052,0,90,0,3,44,0,0,0,0,0,0,NULL,NULL);
INSERT INTO accounts VALUES(3073,1200,0,0,3,47,0,0,0,0,0,1,NULL,NULL);
INSERT INTO accounts VALUES(4097,0,0,0,4,39,0,0,0,0,0,0,NULL,NULL);
INSERT INTO accounts VALUES(4098,0,0,0,2,37,0,0,0,0,0,0,NULL,NULL);
INSERT INTO accounts VALUES(5121,8730,0,40,20,63,0,0,0,0,0,6,NULL,1767312033000);
INSERT INTO accounts VALUES(6145,300,0,0,5,61,0,0,0,0,0,3,1769817600000,NULL);
CREATE TABLE lots (
  lot INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  source INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  remaining INTEGER NOT NULL CHECK (remaining >= 0 AND remaining <= granted),
  price INTEGER,
  price_currency TEXT,
  purchase INTEGER,
  expires_at INTEGER NOT NULL,
  paid INTEGER NOT NULL GENERATED ALWAYS AS (source = 1) VIRTUAL
) STRICT;
INSERT INTO lots VALUES(1,1025,1,1,1200,0,999,'USD',1,253402300799999);
INSERT INTO lots VALUES(2,1025,1,2,1200,0,999,'USD',2,253402300799999);
INSERT INTO lots VALUES(3,1025,1,16,3600,2200,2997,'USD',3,253402300799999);
INSERT INTO lots VALUES(4,1025,1,1,4800,4800,3996,'USD',4,253402300799999);
INSERT INTO lots VALUES(5,1026,1,1,300,0,499,'USD',5,253402300799999);
INSERT INTO lots VALUES(6,1026,2,1,30,0,NULL,NULL,5,253402300799999);
INSERT INTO lots VALUES(7,1025,1,1,500,0,500,'USD',5,253402300799999);
INSERT INTO lots VALUES(8,1025,1,1,1200,0,999,'USD',6,253402300799999);
INSERT INTO lots VALUES(9,2052,1,1,100,0,999,'USD',7,253402300799999);
INSERT INTO lots VALUES(10,2052,2,1,20,0,NULL,NULL,7,253402300799999);
INSERT INTO lots VALUES(11,2051,1,1,900,0,999,'USD',8,253402300799999);
INSERT INTO lots VALUES(12,2049,1,1,1200,1200,999,'USD',9,253402300799999);
INSERT INTO lots VALUES(13,2049,1,16,1200,1200,999,'USD',10,253402300799999);
INSERT INTO lots VALUES(14,3073,1,1,1200,0,999,'USD',11,253402300799999);
INSERT INTO lots VALUES(15,1025,1,1,1200,800,999,'USD',12,253402300799999);
INSERT INTO lots VALUES(16,1026,1,16,300,300,499,'USD',13,253402300799999);
INSERT INTO lots VALUES(17,1026,2,16,30,20,NULL,NULL,13,253402300799999);
INSERT INTO lots VALUES(18,1025,1,16,500,500,500,'USD',13,253402300799999);
INSERT INTO lots VALUES(19,1025,1,16,1200,0,999,'USD',14,253402300799999);
INSERT INTO lots VALUES(20,5121,1,1,1200,1010,999,'USD',15,253402300799999);
INSERT INTO lots VALUES(21,5121,1,1,1200,1200,999,'USD',16,253402300799999);
INSERT INTO lots VALUES(22,5121,1,1,1200,600,999,'USD',17,253402300799999);
INSERT INTO lots VALUES(23,5121,1,1,4800,2400,3996,'USD',18,253402300799999);
INSERT INTO lots VALUES(24,5121,1,1,4800,2400,3996,'USD',19,253402300799999);
INSERT INTO lots VALUES(25,5121,1,1,1200,1080,999,'USD',20,253402300799999);
INSERT INTO lots VALUES(26,3073,1,16,1200,1200,999,'USD',22,253402300799999);
INSERT INTO lots VALUES(27,6145,1,1,100,100,999,'USD',23,1769817600000);
INSERT INTO lots VALUES(28,6145,1,1,100,0,999,'USD',24,1769817600000);
INSERT INTO lots VALUES(29,6145,1,1,100,100,999,'USD',25,1769817600000);
INSERT INTO lots VALUES(30,6145,1,1,100,100,999,'USD',26,1769817600000);
INSERT INTO lots VALUES(31,1025,1,1,1200,0,999,'USD',27,253402300799999);
CREATE TABLE lot_sequence (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last INTEGER NOT NULL
) STRICT;
INSERT INTO lot_sequence VALUES(1,32);
CREATE TABLE owned_items (
  customer INTEGER NOT NULL,
  item TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 0),
  PRIMARY KEY (customer, item)
) STRICT, WITHOUT ROWID;
INSERT INTO owned_items VALUES(1,'sword',3);
INSERT INTO owned_items VALUES(4,'sword',0);
INSERT INTO owned_items VALUES(5,'extra_life',2);
INSERT INTO owned_items VALUES(5,'sword',1);
CREATE TABLE checkpoints (
  account INTEGER NOT NULL,
  version INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE open_holds (
  hold INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  begun_at INTEGER,
  currency INTEGER,
  lot INTEGER,
  amount INTEGER
) STRICT;
INSERT INTO open_holds VALUES(33,5,1767312033000,1767225633000,1,20,40);
CREATE TABLE counters (
  customer INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject TEXT NOT NULL,
  period INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (customer, kind, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE customer_lists (
  customer INTEGER NOT NULL,
  list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
  number INTEGER NOT NULL,
  PRIMARY KEY (customer, list, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE customer_lists_buffer (
  customer INTEGER NOT NULL,
  list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
  number INTEGER NOT NULL,
  PRIMARY KEY (customer, list, number)
) STRICT, WITHOUT ROWID;
INSERT INTO customer_lists_buffer VALUES(3,1,58);
INSERT INTO customer_lists_buffer VALUES(5,1,22);
INSERT INTO customer_lists_buffer VALUES(5,1,33);
INSERT INTO customer_lists_buffer VALUES(5,1,55);
INSERT INTO customer_lists_buffer VALUES(5,3,33);
CREATE TABLE refund_evidence (
  store_transaction TEXT NOT NULL,
  environment INTEGER NOT NULL,
  store INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL,
  signed_at INTEGER NOT NULL,
  extent_kind INTEGER NOT NULL,
  extent INTEGER NOT NULL,
  PRIMARY KEY (store_transaction, environment, store, kind, revoked_at)
) STRICT, WITHOUT ROWID;
INSERT INTO refund_evidence VALUES('a1',1,1,2,1767225700000,1767225800000,1,0);
INSERT INTO refund_evidence VALUES('b1',1,1,3,0,1767225650000,1,0);
INSERT INTO refund_evidence VALUES('early',1,1,1,1767225700000,1767225700000,1,0);
INSERT INTO refund_evidence VALUES('g1',1,2,3,0,1767225800000,1,0);
INSERT INTO refund_evidence VALUES('kept-full',1,1,1,1767225700000,1767225700000,1,0);
INSERT INTO refund_evidence VALUES('kept-reversed',1,1,1,1767225700000,1767225700000,1,0);
INSERT INTO refund_evidence VALUES('kept-reversed',1,1,2,1767225700000,1767225800000,1,0);
INSERT INTO refund_evidence VALUES('kept-test',16,1,1,1767225700000,1767225700000,1,0);
INSERT INTO refund_evidence VALUES('kept-units',1,2,1,1767225700000,1767225700000,4,1);
CREATE TABLE orders (
  number INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  customer INTEGER NOT NULL,
  store INTEGER NOT NULL,
  product TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  request TEXT NOT NULL,
  key TEXT,
  state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
  purchase INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  delivery_attempts INTEGER NOT NULL CHECK (delivery_attempts >= 0),
  CHECK ((purchase IS NOT NULL) = (state IN (2, 4)))
) STRICT;
INSERT INTO orders VALUES(1,'ORDER-1',1,1,'gems',1,'{}',NULL,2,27,1767225600000,1767225633000,1767312000000,9223372036854775807,0);
INSERT INTO orders VALUES(2,'ORDER-2',1,1,'gems',1,'{}',NULL,1,NULL,1767225600000,1767225600000,1767312000000,1767312000000,0);
CREATE TABLE entitlements (
  purchase INTEGER PRIMARY KEY,
  holder INTEGER NOT NULL
) STRICT;
INSERT INTO entitlements VALUES(23,6);
INSERT INTO entitlements VALUES(24,6);
INSERT INTO entitlements VALUES(25,6);
INSERT INTO entitlements VALUES(26,6);
CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into <> 0;
CREATE TRIGGER catalog_versions_refuse_update BEFORE UPDATE ON catalog_versions
  BEGIN SELECT RAISE(ABORT, 'catalog_versions is append-only'); END;
CREATE TRIGGER catalog_versions_refuse_delete BEFORE DELETE ON catalog_versions
  BEGIN SELECT RAISE(ABORT, 'catalog_versions is append-only'); END;
CREATE TRIGGER erasures_refuse_update BEFORE UPDATE ON erasures
  BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;
CREATE TRIGGER erasures_refuse_delete BEFORE DELETE ON erasures
  BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;
CREATE TRIGGER copied_journal_refuse_update BEFORE UPDATE ON copied_journal
  BEGIN SELECT RAISE(ABORT, 'copied_journal is append-only'); END;
CREATE TRIGGER copied_journal_refuse_delete BEFORE DELETE ON copied_journal
  BEGIN SELECT RAISE(ABORT, 'copied_journal is append-only'); END;
CREATE INDEX purchases_of_customers ON purchases (customer);
CREATE INDEX refunds_of_purchases ON refunds (purchase);
CREATE INDEX journal_events_of_targets ON journal_events (target, transaction_number, position)
  WHERE target <> 0 AND target <> transaction_number;
CREATE TRIGGER transactions_refuse_update BEFORE UPDATE ON transactions
  BEGIN SELECT RAISE(ABORT, 'transactions is append-only'); END;
CREATE TRIGGER transactions_refuse_delete BEFORE DELETE ON transactions
  BEGIN SELECT RAISE(ABORT, 'transactions is append-only'); END;
CREATE TRIGGER entries_refuse_update BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER entries_refuse_delete BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER allocations_refuse_update BEFORE UPDATE ON allocations
  BEGIN SELECT RAISE(ABORT, 'allocations is append-only'); END;
CREATE TRIGGER allocations_refuse_delete BEFORE DELETE ON allocations
  BEGIN SELECT RAISE(ABORT, 'allocations is append-only'); END;
CREATE TRIGGER frozen_products_refuse_update BEFORE UPDATE ON frozen_products
  BEGIN SELECT RAISE(ABORT, 'frozen_products is append-only'); END;
CREATE TRIGGER frozen_products_refuse_delete BEFORE DELETE ON frozen_products
  BEGIN SELECT RAISE(ABORT, 'frozen_products is append-only'); END;
CREATE TRIGGER purchases_refuse_update BEFORE UPDATE ON purchases
  BEGIN SELECT RAISE(ABORT, 'purchases is append-only'); END;
CREATE TRIGGER purchases_refuse_delete BEFORE DELETE ON purchases
  BEGIN SELECT RAISE(ABORT, 'purchases is append-only'); END;
CREATE TRIGGER item_entries_refuse_update BEFORE UPDATE ON item_entries
  BEGIN SELECT RAISE(ABORT, 'item_entries is append-only'); END;
CREATE TRIGGER item_entries_refuse_delete BEFORE DELETE ON item_entries
  BEGIN SELECT RAISE(ABORT, 'item_entries is append-only'); END;
CREATE TRIGGER merges_refuse_update BEFORE UPDATE ON merges
  BEGIN SELECT RAISE(ABORT, 'merges is append-only'); END;
CREATE TRIGGER merges_refuse_delete BEFORE DELETE ON merges
  BEGIN SELECT RAISE(ABORT, 'merges is append-only'); END;
CREATE TRIGGER lot_attributes_refuse_update BEFORE UPDATE ON lot_attributes
  BEGIN SELECT RAISE(ABORT, 'lot_attributes is append-only'); END;
CREATE TRIGGER lot_attributes_refuse_delete BEFORE DELETE ON lot_attributes
  BEGIN SELECT RAISE(ABORT, 'lot_attributes is append-only'); END;
CREATE TRIGGER refunds_refuse_update BEFORE UPDATE ON refunds
  BEGIN SELECT RAISE(ABORT, 'refunds is append-only'); END;
CREATE TRIGGER refunds_refuse_delete BEFORE DELETE ON refunds
  BEGIN SELECT RAISE(ABORT, 'refunds is append-only'); END;
CREATE TRIGGER refund_parts_refuse_update BEFORE UPDATE ON refund_parts
  BEGIN SELECT RAISE(ABORT, 'refund_parts is append-only'); END;
CREATE TRIGGER refund_parts_refuse_delete BEFORE DELETE ON refund_parts
  BEGIN SELECT RAISE(ABORT, 'refund_parts is append-only'); END;
CREATE TRIGGER journal_events_refuse_update BEFORE UPDATE ON journal_events
  BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;
CREATE TRIGGER journal_events_refuse_delete BEFORE DELETE ON journal_events
  BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;
CREATE TRIGGER keys_refuse_update BEFORE UPDATE ON keys
  BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;
CREATE TRIGGER keys_refuse_delete BEFORE DELETE ON keys
  WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
  BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;
CREATE INDEX lots_open ON lots (account, paid, expires_at) WHERE remaining > 0;
CREATE INDEX lots_pooled ON lots (account, source, environment)
  WHERE purchase IS NULL AND expires_at = 253402300799999;
CREATE INDEX orders_of_customer ON orders (customer, number);
CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2;
CREATE UNIQUE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL;
CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL;
CREATE TRIGGER orders_refuse_update
  BEFORE UPDATE OF number, code, store, product, quantity, created_at, deadline ON orders
  BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
CREATE TRIGGER orders_refuse_request_update BEFORE UPDATE OF request, key ON orders
  WHEN NEW.request <> '{}' OR NEW.key IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
  BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
CREATE TRIGGER orders_refuse_payment_update BEFORE UPDATE OF purchase ON orders
  WHEN OLD.purchase IS NOT NULL AND NEW.purchase IS NOT OLD.purchase
  BEGIN SELECT RAISE(ABORT, 'an order is paid for once'); END;
CREATE TRIGGER orders_refuse_delete BEFORE DELETE ON orders
  BEGIN SELECT RAISE(ABORT, 'orders are kept'); END;
CREATE INDEX entitlements_of_holder ON entitlements (holder, purchase);
COMMIT;
