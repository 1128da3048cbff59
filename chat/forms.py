"""What people type into the chat pages."""

from django import forms

from chat.preferences import THEMES

QUESTION_MAX_CHARACTERS = 8000
TITLE_MAX_CHARACTERS = 200


class QuestionForm(forms.Form):
    """A question, and the key of another model where it is to be asked of one."""

    question = forms.CharField(
        max_length=QUESTION_MAX_CHARACTERS,
        error_messages={
            "required": "Type a question first.",
            "max_length": f"A question may have at most {QUESTION_MAX_CHARACTERS:,} characters.",
        },
    )
    model = forms.CharField(required=False)


class TitleForm(forms.Form):
    """A session's new name."""

    title = forms.CharField(max_length=TITLE_MAX_CHARACTERS)


class ThemeForm(forms.Form):
    """The colours, and the page to go back to."""

    theme = forms.ChoiceField(choices=[(theme, theme) for theme in THEMES])
    next = forms.CharField(required=False)
