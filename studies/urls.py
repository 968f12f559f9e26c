"""Addresses of annotators: joining, working, returning, leaving."""

from django.urls import path

from studies import api, views, views_data, views_join

app_name = "studies"
urlpatterns = [
    path("join/<slug:slug>/", views_join.join, name="join"),
    path("invite/<str:token>/", views_join.invite, name="invite"),
    path("return/<str:token>/", views.return_, name="return"),
    path("work/<slug:slug>/", views.work, name="work"),
    path("work/<slug:slug>/welcome/", views.welcome, name="welcome"),
    path("work/<slug:slug>/leave/", views.leave, name="leave"),
    path("work/<slug:slug>/thanks/", views.thanks, name="thanks"),
    path("work/<slug:slug>/stop/", views_data.stop, name="stop"),
    path("work/<slug:slug>/data/", views_data.my_data, name="my_data"),
    path("work/<slug:slug>/data/file/", views_data.my_data_file, name="my_data_file"),
    path("work/<slug:slug>/withdraw/", views_data.withdraw, name="withdraw"),
    path("media/<str:signed>/", views.media, name="media"),
    path("api/work/<slug:slug>/open", api.OpenView.as_view(), name="api_open"),
    path("api/work/<slug:slug>/events", api.EventsView.as_view(), name="api_events"),
    path("api/work/<slug:slug>/heartbeat", api.HeartbeatView.as_view(), name="api_heartbeat"),
    path("api/work/<slug:slug>/hand_in", api.HandInView.as_view(), name="api_hand_in"),
]
