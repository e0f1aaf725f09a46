UPDATE lanes SET layout = layout + 1;

ALTER TABLE transactions ADD COLUMN digest bigint, ADD COLUMN erasable bigint;

ALTER TABLE lanes ADD COLUMN sums bigint[];
