"""Statements whose SQL is written once: for the few that every step of every answer makes.

Django writes a statement anew each time, which takes several times as long as running it. Values go through the
fields' own conversions, so that each database gets its own form of them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db import connection, models

Json = Any
PLAIN = frozenset({str, int, bool, type(None)})
# Fields that read a text or a number as something else.
CONVERTED = (models.JSONField, models.UUIDField, models.DateTimeField, models.DecimalField, models.BinaryField)


class PreparedInsert:
    """Inserts new objects of one model. Neither `save` nor signals are asked, nor is a key that the database gives."""

    def __init__(self, model: type[models.Model]) -> None:
        self._model = model

    @cached_property
    def _fields(self) -> "list[models.Field[Any, Any]]":
        return [field for field in self._model._meta.concrete_fields if not isinstance(field, models.AutoField)]

    @cached_property
    def _sql(self) -> str:
        columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in self._fields)
        return f"INSERT INTO {table(self._model)} ({columns}) VALUES ({', '.join(['%s'] * len(self._fields))})"

    @staticmethod
    def _value(field: "models.Field[Any, Any]", value: Json) -> Json:
        """Return what is bound; texts and numbers are for every database what they are."""
        if type(value) in PLAIN and not isinstance(field, CONVERTED):
            return value
        return field.get_db_prep_save(value, connection)

    def __call__(self, objects: Sequence[models.Model]) -> None:
        """Insert the objects."""
        rows = [[self._value(field, getattr(one, field.attname)) for field in self._fields] for one in objects]
        with connection.cursor() as cursor:
            if len(rows) == 1:
                cursor.execute(self._sql, rows[0])
            elif rows:
                cursor.executemany(self._sql, rows)


def db_value(model: type[models.Model], name: str, value: Json) -> Json:
    """Return a value in the form in which the database holds it in a field."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field.get_db_prep_save(value, connection)


def table(model: type[models.Model]) -> str:
    """Return a model's table as SQL names it."""
    return connection.ops.quote_name(model._meta.db_table)
