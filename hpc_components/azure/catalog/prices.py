from hpc_components.catalog.price_tables import PriceTables

_TABLES = PriceTables(__file__)
regional_price, service_price = _TABLES.regional_price, _TABLES.service_price
