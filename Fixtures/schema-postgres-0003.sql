ALTER TABLE lanes ADD COLUMN early boolean NOT NULL DEFAULT false;

CREATE INDEX lanes_released_early ON lanes (customer) WHERE early;

UPDATE lanes SET layout = layout + 1;
