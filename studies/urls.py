"""Addresses of annotators: joining, working, returning, leaving."""

from django.urls import path

from studies import api, views

app_name = "studies"
urlpatterns = [
    path("join/<slug:slug>/", views.join, name="join"),
    path("return/<str:token>/", views.return_, name="return"),
    path("work/<slug:slug>/", views.work, name="work"),
    path("work/<slug:slug>/welcome/", views.welcome, name="welcome"),
    path("work/<slug:slug>/leave/", views.leave, name="leave"),
    path("work/<slug:slug>/thanks/", views.thanks, name="thanks"),
    path("media/<str:signed>/", views.media, name="media"),
    path("api/work/<slug:slug>/open", api.OpenView.as_view(), name="api_open"),
    path("api/work/<slug:slug>/events", api.EventsView.as_view(), name="api_events"),
    path("api/work/<slug:slug>/heartbeat", api.HeartbeatView.as_view(), name="api_heartbeat"),
    path("api/work/<slug:slug>/hand_in", api.HandInView.as_view(), name="api_hand_in"),
]
