"""What people type into the chat pages."""

from django import forms

from chat.choices import Choice, read_budget
from chat.preferences import THEMES

QUESTION_MAX_CHARACTERS = 8000
TITLE_MAX_CHARACTERS = 200


class ChoiceForm(forms.Form):
    """With what questions are asked: a model and its effort; empty for what is configured."""

    model = forms.CharField(max_length=100, required=False)
    effort = forms.CharField(max_length=20, required=False)


class QuestionForm(ChoiceForm):
    """A question, and with what it is asked."""

    question = forms.CharField(
        max_length=QUESTION_MAX_CHARACTERS,
        error_messages={
            "required": "Type a question first.",
            "max_length": f"A question may have at most {QUESTION_MAX_CHARACTERS:,} characters.",
        },
    )
    budget_usd = forms.CharField(max_length=20, required=False)
    keep = forms.BooleanField(required=False)

    @property
    def choice(self) -> Choice:
        """What was chosen. Raises `BadChoice` for a budget that is no amount."""
        given = self.cleaned_data
        return Choice(given["model"], given["effort"], read_budget(given["budget_usd"]), given["keep"])


class TitleForm(forms.Form):
    """A session's new name."""

    title = forms.CharField(max_length=TITLE_MAX_CHARACTERS)


class ThemeForm(forms.Form):
    """The colours, and the page to go back to."""

    theme = forms.ChoiceField(choices=[(theme, theme) for theme in THEMES])
    next = forms.CharField(required=False)
